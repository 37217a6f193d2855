BEGIN TRANSACTION;
CREATE TABLE cells (
        seq INTEGER PRIMARY KEY AUTOINCREMENT,
        entry INTEGER NOT NULL REFERENCES history (id) ON DELETE CASCADE,
        tbl TEXT NOT NULL,
        key ANY NOT NULL,
        op TEXT NOT NULL,
        col TEXT NOT NULL,
        before ANY,
        after ANY
    ) STRICT;
INSERT INTO "cells" VALUES(1,1,'segments','5c0af45376b9','update','chosen',NULL,1);
INSERT INTO "cells" VALUES(2,1,'segments','e5a6edb9f478','update','chosen',NULL,2);
INSERT INTO "cells" VALUES(3,2,'segments','e5a6edb9f478','update','override',NULL,'Edited by hand.');
INSERT INTO "cells" VALUES(4,3,'segments','5c0af45376b9','update','approved',NULL,1);
INSERT INTO "cells" VALUES(6,5,'settings','pauses','insert','value',NULL,'{"prose": 900}');
INSERT INTO "cells" VALUES(7,5,'lexicon','Harrow','insert','spoken',NULL,'Harro');
CREATE TABLE chapters (
        id INTEGER PRIMARY KEY, position INTEGER NOT NULL, title TEXT NOT NULL
    ) STRICT;
INSERT INTO "chapters" VALUES(1,1024,'Chapter 0');
CREATE TABLE groups (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        label TEXT NOT NULL,
        entry INTEGER
    ) STRICT;
INSERT INTO "groups" VALUES(1,'narrated 2 segments',1);
INSERT INTO "groups" VALUES(2,'narrated 3',NULL);
CREATE TABLE history (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        rank INTEGER NOT NULL,
        label TEXT NOT NULL,
        made TEXT NOT NULL,
        undone INTEGER NOT NULL DEFAULT 0
    ) STRICT;
INSERT INTO "history" VALUES(1,1,'narrated 2 segments','2026-11-30T01:49:54.152+00:00',0);
INSERT INTO "history" VALUES(2,2,'edited 2','2026-11-30T01:49:54.156+00:00',0);
INSERT INTO "history" VALUES(3,3,'approved 1','2026-11-30T01:49:54.159+00:00',0);
INSERT INTO "history" VALUES(5,4,'settings: pauses, lexicon','2026-11-30T01:49:54.161+00:00',0);
CREATE TABLE internal (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT;
INSERT INTO "internal" VALUES('settings file','47bc315797aa8d0edebe8ec6c59b8a2f135428663223c076f6dc15c8e8c3dc6c');
CREATE TABLE lexicon (word TEXT PRIMARY KEY, spoken TEXT NOT NULL) STRICT;
INSERT INTO "lexicon" VALUES('Harrow','Harro');
CREATE TABLE migrations (
        version INTEGER PRIMARY KEY, name TEXT NOT NULL, applied TEXT NOT NULL
    ) STRICT;
INSERT INTO "migrations" VALUES(1,'first tables','2026-11-30T01:49:54+00:00');
CREATE TABLE queue (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        segment TEXT NOT NULL UNIQUE
            REFERENCES segments (uid) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED,
        seed INTEGER,
        grp INTEGER NOT NULL REFERENCES groups (id),
        first INTEGER NOT NULL,
        place INTEGER NOT NULL,
        asked INTEGER NOT NULL
    ) STRICT;
INSERT INTO "queue" VALUES(3,'662bfcb27cc5',NULL,2,1,1,1);
CREATE TABLE segments (
        uid TEXT PRIMARY KEY,
        chapter INTEGER NOT NULL REFERENCES chapters (id) DEFERRABLE INITIALLY DEFERRED,
        position INTEGER NOT NULL,
        kind TEXT NOT NULL,
        source TEXT NOT NULL,
        spoken TEXT,
        speaking INTEGER NOT NULL,
        override TEXT,
        ends_paragraph INTEGER NOT NULL,
        voice TEXT NOT NULL REFERENCES voices (id) DEFERRABLE INITIALLY DEFERRED,
        seed INTEGER NOT NULL,
        speed REAL NOT NULL DEFAULT 1.0,
        pause_ms INTEGER,
        chosen INTEGER REFERENCES takes (id) DEFERRABLE INITIALLY DEFERRED,
        approved INTEGER REFERENCES takes (id) DEFERRABLE INITIALLY DEFERRED,
        mark INTEGER NOT NULL DEFAULT 0,
        note TEXT NOT NULL DEFAULT '',
        failure TEXT NOT NULL DEFAULT ''
    ) STRICT;
INSERT INTO "segments" VALUES('5c0af45376b9',1,1024,'heading','Chapter 0',NULL,1,NULL,1,'heart',7,1.0,NULL,1,1,0,'','');
INSERT INTO "segments" VALUES('e5a6edb9f478',1,2048,'prose','Line 0 of chapter 0, by Dr. Harrow.','Line 0 of chapter 0, by Doctor Harrow.',1,'Edited by hand.',0,'heart',100,1.0,NULL,2,NULL,0,'','');
INSERT INTO "segments" VALUES('662bfcb27cc5',1,3072,'prose','Line 1 of chapter 0, by Dr. Harrow.','Line 1 of chapter 0, by Doctor Harrow.',1,NULL,1,'heart',101,1.0,NULL,NULL,NULL,0,'','');
INSERT INTO "segments" VALUES('4355a46b19d3',1,4096,'scene break','',NULL,1,NULL,1,'heart',0,1.0,NULL,NULL,NULL,0,'','');
CREATE TABLE settings (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT;
INSERT INTO "settings" VALUES('title','"The Ferry"');
INSERT INTO "settings" VALUES('author','"A. Writer"');
INSERT INTO "settings" VALUES('language','"en-US"');
INSERT INTO "settings" VALUES('voice','"heart"');
INSERT INTO "settings" VALUES('pauses','{"prose": 900}');
CREATE TABLE take_records (
        take INTEGER PRIMARY KEY REFERENCES takes (id) ON DELETE CASCADE,
        recipe TEXT NOT NULL,
        provenance TEXT NOT NULL
    ) STRICT;
INSERT INTO "take_records" VALUES(1,'{"spoken": "Chapter 0", "language": "en-US", "voice": "3000f3004ec2559ed4eac5c5276184710d4a38cf4c192fdb590247016c82eb0a", "engine": "hibari", "engine_version": "1", "model": "m", "backend": "onnxruntime", "precision": "fp32", "threads": 1, "settings": {}, "seed": 7, "speed": 1.0}','{"build": {"onnxruntime": "1.23", "device": "cpu"}, "worker": 1}');
INSERT INTO "take_records" VALUES(2,'{"spoken": "Line 0 of chapter 0, by Doctor Harrow.", "language": "en-US", "voice": "3000f3004ec2559ed4eac5c5276184710d4a38cf4c192fdb590247016c82eb0a", "engine": "hibari", "engine_version": "1", "model": "m", "backend": "onnxruntime", "precision": "fp32", "threads": 1, "settings": {}, "seed": 100, "speed": 1.0}','{"build": {"onnxruntime": "1.23", "device": "cpu"}, "worker": 1}');
CREATE TABLE takes (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        segment TEXT NOT NULL,
        number INTEGER NOT NULL,
        seed INTEGER NOT NULL,
        spoken TEXT NOT NULL,
        voice TEXT NOT NULL,
        fingerprint TEXT NOT NULL,
        language TEXT NOT NULL,
        speed REAL NOT NULL,
        rate INTEGER NOT NULL,
        channels INTEGER NOT NULL,
        frames INTEGER NOT NULL,
        rtf REAL NOT NULL,
        findings TEXT NOT NULL,
        star INTEGER NOT NULL DEFAULT 0,
        build TEXT NOT NULL,
        pcm_hash TEXT NOT NULL,
        recipe_id TEXT NOT NULL,
        made TEXT NOT NULL
    ) STRICT;
INSERT INTO "takes" VALUES(1,'5c0af45376b9',1,7,'Chapter 0','heart','3000f3004ec2559ed4eac5c5276184710d4a38cf4c192fdb590247016c82eb0a','en-US',1.0,24000,1,2400,0.01,'[]',0,'hibari:631eef7dcfc7ed82','36a032b1320a9c5f01d6f94d3f657d4b95aaed055f0a72a844f56f887a50d3c1','159b40612f13fb978e295144172d59dab5e7ce69deeac7b22ac38a66377bb3d0','2026-11-30T01:49:54.152+00:00');
INSERT INTO "takes" VALUES(2,'e5a6edb9f478',1,100,'Line 0 of chapter 0, by Doctor Harrow.','heart','3000f3004ec2559ed4eac5c5276184710d4a38cf4c192fdb590247016c82eb0a','en-US',1.0,24000,1,2400,0.01,'[]',0,'hibari:631eef7dcfc7ed82','6954f1655976dcc7cca38611fa5598d75acff9a15cb290f0a4d5aa6a1c16ae6c','09671586f1f04b04558b8d7d2d5a4f7e3fdc7db816c7c5cbaaa80dde285902e6','2026-11-30T01:49:54.152+00:00');
CREATE TABLE voices (
        id TEXT PRIMARY KEY,
        engine TEXT NOT NULL,
        speaker TEXT NOT NULL,
        reference TEXT NOT NULL,
        transcript TEXT NOT NULL,
        description TEXT NOT NULL,
        style TEXT NOT NULL,
        language TEXT NOT NULL,
        settings TEXT NOT NULL,
        fingerprint TEXT NOT NULL
    ) STRICT;
INSERT INTO "voices" VALUES('heart','hibari','heart','','','','','en-US','{}','3000f3004ec2559ed4eac5c5276184710d4a38cf4c192fdb590247016c82eb0a');
CREATE UNIQUE INDEX takes_of_segment ON takes (segment, number);
CREATE INDEX segments_in_order ON segments (chapter, position);
CREATE INDEX segments_by_voice ON segments (voice);
CREATE INDEX queue_in_order ON queue (first DESC, place, id);
CREATE INDEX history_in_order ON history (rank);
CREATE INDEX cells_of_entry ON cells (entry, seq);
CREATE INDEX cells_of_row ON cells (tbl, key, entry);
DELETE FROM "sqlite_sequence";
INSERT INTO "sqlite_sequence" VALUES('groups',2);
INSERT INTO "sqlite_sequence" VALUES('queue',3);
INSERT INTO "sqlite_sequence" VALUES('takes',2);
INSERT INTO "sqlite_sequence" VALUES('history',5);
INSERT INTO "sqlite_sequence" VALUES('cells',7);
COMMIT;
