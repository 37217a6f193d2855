BEGIN TRANSACTION;
CREATE TABLE blind_tests (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        made TEXT NOT NULL,
        seed INTEGER NOT NULL,
        what TEXT NOT NULL,
        a TEXT NOT NULL,
        b TEXT NOT NULL
    ) STRICT;
INSERT INTO "blind_tests" VALUES(1,'2026-11-30T09:00:00+00:00',7,'take','the newest take','the one before');
CREATE TABLE blind_trials (
        test INTEGER NOT NULL REFERENCES blind_tests (id) ON DELETE CASCADE,
        number INTEGER NOT NULL,
        segment TEXT NOT NULL,
        a INTEGER NOT NULL,
        b INTEGER NOT NULL,
        x TEXT NOT NULL,
        answer TEXT NOT NULL DEFAULT '',
        answered TEXT NOT NULL DEFAULT '',
        PRIMARY KEY (test, number)
    ) STRICT;
INSERT INTO "blind_trials" VALUES(1,1,'5c0af45376b9',1,2,'a','a','2026-11-30T09:01:00+00:00');
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
INSERT INTO "cells" VALUES(3,2,'segments','5c0af45376b9','update','chosen',1,3);
INSERT INTO "cells" VALUES(4,3,'segments','5c0af45376b9','update','chosen',3,1);
INSERT INTO "cells" VALUES(5,4,'segments','e5a6edb9f478','update','override',NULL,'Edited by hand.');
INSERT INTO "cells" VALUES(6,5,'segments','5c0af45376b9','update','approved',NULL,1);
INSERT INTO "cells" VALUES(7,6,'settings','pauses','insert','value',NULL,'{"prose": 900}');
INSERT INTO "cells" VALUES(8,7,'lexicon','Harrow','insert','spoken',NULL,'Harro');
INSERT INTO "cells" VALUES(9,7,'lexicon','Harrow','insert','regex',NULL,0);
INSERT INTO "cells" VALUES(10,7,'lexicon','Harrow','insert','phonemes',NULL,0);
INSERT INTO "cells" VALUES(11,7,'lexicon','Harrow','insert','match_case',NULL,0);
INSERT INTO "cells" VALUES(12,7,'lexicon','Harrow','insert','whole',NULL,1);
INSERT INTO "cells" VALUES(13,7,'lexicon','Line (\w+)','insert','spoken',NULL,'Lyne \1');
INSERT INTO "cells" VALUES(14,7,'lexicon','Line (\w+)','insert','regex',NULL,1);
INSERT INTO "cells" VALUES(15,7,'lexicon','Line (\w+)','insert','phonemes',NULL,0);
INSERT INTO "cells" VALUES(16,7,'lexicon','Line (\w+)','insert','match_case',NULL,0);
INSERT INTO "cells" VALUES(17,7,'lexicon','Line (\w+)','insert','whole',NULL,1);
INSERT INTO "cells" VALUES(18,7,'segments','e5a6edb9f478','update','lexed',NULL,'Lyne 0 of chapter 0, by Doctor Harro.');
INSERT INTO "cells" VALUES(19,7,'segments','662bfcb27cc5','update','lexed',NULL,'Lyne 1 of chapter 0, by Doctor Harro.');
INSERT INTO "cells" VALUES(20,8,'lexicon','Chapter','insert','spoken',NULL,'Chaptre');
INSERT INTO "cells" VALUES(21,8,'lexicon','Chapter','insert','regex',NULL,0);
INSERT INTO "cells" VALUES(22,8,'lexicon','Chapter','insert','phonemes',NULL,0);
INSERT INTO "cells" VALUES(23,8,'lexicon','Chapter','insert','match_case',NULL,1);
INSERT INTO "cells" VALUES(24,8,'lexicon','Chapter','insert','whole',NULL,1);
INSERT INTO "cells" VALUES(25,8,'segments','5c0af45376b9','update','lexed',NULL,'Chaptre 0');
INSERT INTO "cells" VALUES(26,9,'lexicon','Chapter','delete','spoken','Chaptre',NULL);
INSERT INTO "cells" VALUES(27,9,'lexicon','Chapter','delete','regex',0,NULL);
INSERT INTO "cells" VALUES(28,9,'lexicon','Chapter','delete','phonemes',0,NULL);
INSERT INTO "cells" VALUES(29,9,'lexicon','Chapter','delete','match_case',1,NULL);
INSERT INTO "cells" VALUES(30,9,'lexicon','Chapter','delete','whole',1,NULL);
INSERT INTO "cells" VALUES(31,9,'segments','5c0af45376b9','update','lexed','Chaptre 0',NULL);
INSERT INTO "cells" VALUES(32,10,'segments','662bfcb27cc5','update','speaking',1,2);
INSERT INTO "cells" VALUES(33,10,'segments','662bfcb27cc5','update','source','Line 1 of chapter 0, by Dr. Harrow.','Line 1');
INSERT INTO "cells" VALUES(34,10,'segments','662bfcb27cc5','update','spoken','Line 1 of chapter 0, by Doctor Harrow.','Line one');
INSERT INTO "cells" VALUES(35,10,'segments','662bfcb27cc5','update','lexed','Lyne 1 of chapter 0, by Doctor Harro.','Lyne one');
INSERT INTO "cells" VALUES(36,10,'segments','662bfcb27cc5','update','ends_paragraph',1,0);
INSERT INTO "cells" VALUES(37,10,'segments','05e1cd90765b','insert','chapter',NULL,1);
INSERT INTO "cells" VALUES(38,10,'segments','05e1cd90765b','insert','position',NULL,3584);
INSERT INTO "cells" VALUES(39,10,'segments','05e1cd90765b','insert','kind',NULL,'prose');
INSERT INTO "cells" VALUES(40,10,'segments','05e1cd90765b','insert','source',NULL,'of chapter 0, by Dr. Harrow.');
INSERT INTO "cells" VALUES(41,10,'segments','05e1cd90765b','insert','spoken',NULL,'of chapter zero, by Doctor Harrow.');
INSERT INTO "cells" VALUES(42,10,'segments','05e1cd90765b','insert','lexed',NULL,'of chapter zero, by Doctor Harro.');
INSERT INTO "cells" VALUES(43,10,'segments','05e1cd90765b','insert','speaking',NULL,2);
INSERT INTO "cells" VALUES(44,10,'segments','05e1cd90765b','insert','override',NULL,NULL);
INSERT INTO "cells" VALUES(45,10,'segments','05e1cd90765b','insert','ends_paragraph',NULL,1);
INSERT INTO "cells" VALUES(46,10,'segments','05e1cd90765b','insert','voice',NULL,'heart');
INSERT INTO "cells" VALUES(47,10,'segments','05e1cd90765b','insert','seed',NULL,2127763454);
INSERT INTO "cells" VALUES(48,10,'segments','05e1cd90765b','insert','speed',NULL,1.0);
INSERT INTO "cells" VALUES(49,10,'segments','05e1cd90765b','insert','pause_ms',NULL,NULL);
INSERT INTO "cells" VALUES(50,10,'segments','05e1cd90765b','insert','chosen',NULL,NULL);
INSERT INTO "cells" VALUES(51,10,'segments','05e1cd90765b','insert','approved',NULL,NULL);
INSERT INTO "cells" VALUES(52,10,'segments','05e1cd90765b','insert','mark',NULL,0);
INSERT INTO "cells" VALUES(53,10,'segments','05e1cd90765b','insert','note',NULL,'');
INSERT INTO "cells" VALUES(54,11,'segments','05e1cd90765b','delete','chapter',1,NULL);
INSERT INTO "cells" VALUES(55,11,'segments','05e1cd90765b','delete','position',3584,NULL);
INSERT INTO "cells" VALUES(56,11,'segments','05e1cd90765b','delete','kind','prose',NULL);
INSERT INTO "cells" VALUES(57,11,'segments','05e1cd90765b','delete','source','of chapter 0, by Dr. Harrow.',NULL);
INSERT INTO "cells" VALUES(58,11,'segments','05e1cd90765b','delete','spoken','of chapter zero, by Doctor Harrow.',NULL);
INSERT INTO "cells" VALUES(59,11,'segments','05e1cd90765b','delete','lexed','of chapter zero, by Doctor Harro.',NULL);
INSERT INTO "cells" VALUES(60,11,'segments','05e1cd90765b','delete','speaking',2,NULL);
INSERT INTO "cells" VALUES(61,11,'segments','05e1cd90765b','delete','override',NULL,NULL);
INSERT INTO "cells" VALUES(62,11,'segments','05e1cd90765b','delete','ends_paragraph',1,NULL);
INSERT INTO "cells" VALUES(63,11,'segments','05e1cd90765b','delete','voice','heart',NULL);
INSERT INTO "cells" VALUES(64,11,'segments','05e1cd90765b','delete','seed',2127763454,NULL);
INSERT INTO "cells" VALUES(65,11,'segments','05e1cd90765b','delete','speed',1.0,NULL);
INSERT INTO "cells" VALUES(66,11,'segments','05e1cd90765b','delete','pause_ms',NULL,NULL);
INSERT INTO "cells" VALUES(67,11,'segments','05e1cd90765b','delete','chosen',NULL,NULL);
INSERT INTO "cells" VALUES(68,11,'segments','05e1cd90765b','delete','approved',NULL,NULL);
INSERT INTO "cells" VALUES(69,11,'segments','05e1cd90765b','delete','mark',0,NULL);
INSERT INTO "cells" VALUES(70,11,'segments','05e1cd90765b','delete','note','',NULL);
INSERT INTO "cells" VALUES(71,11,'segments','662bfcb27cc5','update','source','Line 1','Line 1 of chapter 0, by Dr. Harrow.');
INSERT INTO "cells" VALUES(72,11,'segments','662bfcb27cc5','update','spoken','Line one','Line one of chapter zero, by Doctor Harrow.');
INSERT INTO "cells" VALUES(73,11,'segments','662bfcb27cc5','update','lexed','Lyne one','Lyne one of chapter zero, by Doctor Harro.');
INSERT INTO "cells" VALUES(74,11,'segments','662bfcb27cc5','update','ends_paragraph',0,1);
INSERT INTO "cells" VALUES(75,12,'segments','a5ad75b34db8','insert','chapter',NULL,1);
INSERT INTO "cells" VALUES(76,12,'segments','a5ad75b34db8','insert','position',NULL,3584);
INSERT INTO "cells" VALUES(77,12,'segments','a5ad75b34db8','insert','kind',NULL,'prose');
INSERT INTO "cells" VALUES(78,12,'segments','a5ad75b34db8','insert','source',NULL,'');
INSERT INTO "cells" VALUES(79,12,'segments','a5ad75b34db8','insert','spoken',NULL,NULL);
INSERT INTO "cells" VALUES(80,12,'segments','a5ad75b34db8','insert','lexed',NULL,NULL);
INSERT INTO "cells" VALUES(81,12,'segments','a5ad75b34db8','insert','speaking',NULL,0);
INSERT INTO "cells" VALUES(82,12,'segments','a5ad75b34db8','insert','override',NULL,'Never said.');
INSERT INTO "cells" VALUES(83,12,'segments','a5ad75b34db8','insert','ends_paragraph',NULL,1);
INSERT INTO "cells" VALUES(84,12,'segments','a5ad75b34db8','insert','voice',NULL,'heart');
INSERT INTO "cells" VALUES(85,12,'segments','a5ad75b34db8','insert','seed',NULL,3819923712);
INSERT INTO "cells" VALUES(86,12,'segments','a5ad75b34db8','insert','speed',NULL,1.0);
INSERT INTO "cells" VALUES(87,12,'segments','a5ad75b34db8','insert','pause_ms',NULL,NULL);
INSERT INTO "cells" VALUES(88,12,'segments','a5ad75b34db8','insert','chosen',NULL,NULL);
INSERT INTO "cells" VALUES(89,12,'segments','a5ad75b34db8','insert','approved',NULL,NULL);
INSERT INTO "cells" VALUES(90,12,'segments','a5ad75b34db8','insert','mark',NULL,0);
INSERT INTO "cells" VALUES(91,12,'segments','a5ad75b34db8','insert','note',NULL,'');
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
INSERT INTO "groups" VALUES(2,'narrated segment 3',NULL);
INSERT INTO "groups" VALUES(3,'new seeds for segment 3',NULL);
CREATE TABLE history (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        rank INTEGER NOT NULL,
        label TEXT NOT NULL,
        made TEXT NOT NULL,
        undone INTEGER NOT NULL DEFAULT 0
    ) STRICT;
INSERT INTO "history" VALUES(1,1,'narrated 2 segments','2026-11-30T05:04:39.997+00:00',0);
INSERT INTO "history" VALUES(2,2,'recording for segment 1: pick-up.wav','2026-11-30T05:04:40.065+00:00',0);
INSERT INTO "history" VALUES(3,3,'chose take 1 of segment 1','2026-11-30T05:04:40.070+00:00',0);
INSERT INTO "history" VALUES(4,4,'edited segment 2','2026-11-30T05:04:40.072+00:00',0);
INSERT INTO "history" VALUES(5,5,'approved segment 1','2026-11-30T05:04:40.076+00:00',0);
INSERT INTO "history" VALUES(6,6,'settings: pauses','2026-11-30T05:04:40.077+00:00',0);
INSERT INTO "history" VALUES(7,7,'lexicon: 2 words','2026-11-30T05:04:40.093+00:00',0);
INSERT INTO "history" VALUES(8,8,'lexicon: Chapter','2026-11-30T05:04:40.120+00:00',0);
INSERT INTO "history" VALUES(9,9,'removed from the lexicon: Chapter','2026-11-30T05:04:40.152+00:00',0);
INSERT INTO "history" VALUES(10,10,'split segment 3','2026-11-30T05:04:40.373+00:00',0);
INSERT INTO "history" VALUES(11,11,'joined segments 3 and 4','2026-11-30T05:04:40.382+00:00',0);
INSERT INTO "history" VALUES(12,12,'inserted a segment after segment 3','2026-11-30T05:04:40.388+00:00',1);
CREATE TABLE internal (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT;
INSERT INTO "internal" VALUES('lexicon in use','yes');
INSERT INTO "internal" VALUES('settings file','8febe3387f72dde9de881e5d4d0ea482f05e66a525f85ff62150874da25203cd');
CREATE TABLE lexicon (word TEXT PRIMARY KEY, spoken TEXT NOT NULL, regex INTEGER NOT NULL DEFAULT 0, phonemes INTEGER NOT NULL DEFAULT 0, match_case INTEGER NOT NULL DEFAULT 0, whole INTEGER NOT NULL DEFAULT 1) STRICT;
INSERT INTO "lexicon" VALUES('Harrow','Harro',0,0,0,1);
INSERT INTO "lexicon" VALUES('Line (\w+)','Lyne \1',1,0,0,1);
CREATE TABLE migrations (
        version INTEGER PRIMARY KEY, name TEXT NOT NULL, applied TEXT NOT NULL
    ) STRICT;
INSERT INTO "migrations" VALUES(1,'first tables','2026-11-30T05:04:39+00:00');
INSERT INTO "migrations" VALUES(2,'lexicon, candidates and takes made again','2026-11-30T05:04:39+00:00');
INSERT INTO "migrations" VALUES(3,'attachments of takes','2026-11-01T10:00:00+00:00');
INSERT INTO "migrations" VALUES(4,'what editions ask for','2026-11-01T10:00:00+00:00');
INSERT INTO "migrations" VALUES(5,'blind comparisons','2026-11-30T09:28:13+00:00');
INSERT INTO "migrations" VALUES(6,'approvals of what is narrated anew','2026-11-30T09:28:13+00:00');
CREATE TABLE "queue" (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        segment TEXT NOT NULL
            REFERENCES segments (uid) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED,
        seed INTEGER,
        grp INTEGER NOT NULL REFERENCES groups (id),
        first INTEGER NOT NULL,
        place INTEGER NOT NULL,
        asked INTEGER NOT NULL,
        candidate INTEGER NOT NULL DEFAULT 0,
        remake INTEGER REFERENCES takes (id) ON DELETE CASCADE
    , replay INTEGER NOT NULL DEFAULT 0, approved INTEGER) STRICT;
INSERT INTO "queue" VALUES(3,'662bfcb27cc5',NULL,2,0,3,2,0,NULL,0,NULL);
INSERT INTO "queue" VALUES(4,'662bfcb27cc5',3097133183,3,0,3,4,1,NULL,0,NULL);
INSERT INTO "queue" VALUES(5,'662bfcb27cc5',3775995766,3,0,3,5,1,NULL,0,NULL);
CREATE TABLE removed (
        id INTEGER PRIMARY KEY,
        segment TEXT NOT NULL,
        at INTEGER NOT NULL,
        rank INTEGER NOT NULL,
        kind TEXT NOT NULL,
        source TEXT NOT NULL,
        ends_paragraph INTEGER NOT NULL
    ) STRICT;
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
    , lexed TEXT, language TEXT NOT NULL DEFAULT '', asked TEXT NOT NULL DEFAULT '') STRICT;
INSERT INTO "segments" VALUES('5c0af45376b9',1,1024,'heading','Chapter 0',NULL,1,NULL,1,'heart',7,1.0,NULL,1,1,0,'','',NULL,'','["heading", "", "heart", null]');
INSERT INTO "segments" VALUES('e5a6edb9f478',1,2048,'prose','Line 0 of chapter 0, by Dr. Harrow.','Line 0 of chapter 0, by Doctor Harrow.',1,'Edited by hand.',0,'heart',100,1.0,NULL,2,NULL,0,'','','Lyne 0 of chapter 0, by Doctor Harro.','','["prose", "anna", "heart", null]');
INSERT INTO "segments" VALUES('662bfcb27cc5',1,3072,'prose','Line 1 of chapter 0, by Dr. Harrow.','Line one of chapter zero, by Doctor Harrow.',2,NULL,1,'heart',101,1.0,NULL,NULL,NULL,0,'','','Lyne one of chapter zero, by Doctor Harro.','','');
INSERT INTO "segments" VALUES('4355a46b19d3',1,4096,'scene break','',NULL,1,NULL,1,'heart',0,1.0,NULL,NULL,NULL,0,'','',NULL,'','');
CREATE TABLE settings (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT;
INSERT INTO "settings" VALUES('title','"The Ferry"');
INSERT INTO "settings" VALUES('author','"A. Writer"');
INSERT INTO "settings" VALUES('language','"en-US"');
INSERT INTO "settings" VALUES('voice','"heart"');
INSERT INTO "settings" VALUES('segmenting','0');
INSERT INTO "settings" VALUES('pauses','{"prose": 900}');
CREATE TABLE take_blobs (
        take INTEGER NOT NULL REFERENCES takes (id) ON DELETE CASCADE,
        name TEXT NOT NULL,
        content BLOB NOT NULL,
        PRIMARY KEY (take, name)
    ) STRICT;
CREATE TABLE take_records (
        take INTEGER PRIMARY KEY REFERENCES takes (id) ON DELETE CASCADE,
        recipe TEXT NOT NULL,
        provenance TEXT NOT NULL
    ) STRICT;
INSERT INTO "take_records" VALUES(1,'{"spoken": "Chapter 0", "language": "en-US", "voice": "3000f3004ec2559ed4eac5c5276184710d4a38cf4c192fdb590247016c82eb0a", "engine": "hibari", "engine_version": "1", "model": "m", "backend": "onnxruntime", "precision": "fp32", "threads": 1, "settings": {}, "seed": 7, "speed": 1.0}','{"build": {"onnxruntime": "1.23", "device": "cpu"}, "worker": 1}');
INSERT INTO "take_records" VALUES(2,'{"spoken": "Line 0 of chapter 0, by Doctor Harrow.", "language": "en-US", "voice": "3000f3004ec2559ed4eac5c5276184710d4a38cf4c192fdb590247016c82eb0a", "engine": "hibari", "engine_version": "1", "model": "m", "backend": "onnxruntime", "precision": "fp32", "threads": 1, "settings": {}, "seed": 100, "speed": 1.0}','{"build": {"onnxruntime": "1.23", "device": "cpu"}, "worker": 1}');
INSERT INTO "take_records" VALUES(3,'{"engine": "recording", "file": "pick-up.wav", "sha256": "0000000000000000000000000000000000000000000000000000000000000000", "spoken": "Chapter 0", "voice": "", "language": "", "speed": 0.0, "seed": 7}','{"file": "pick-up.wav", "sha256": "0000000000000000000000000000000000000000000000000000000000000000", "level": -15.1}');
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
INSERT INTO "takes" VALUES(1,'5c0af45376b9',1,7,'Chapter 0','heart','3000f3004ec2559ed4eac5c5276184710d4a38cf4c192fdb590247016c82eb0a','en-US',1.0,24000,1,2400,0.01,'[]',0,'hibari:631eef7dcfc7ed82','36a032b1320a9c5f01d6f94d3f657d4b95aaed055f0a72a844f56f887a50d3c1','159b40612f13fb978e295144172d59dab5e7ce69deeac7b22ac38a66377bb3d0','2026-11-30T05:04:39.997+00:00');
INSERT INTO "takes" VALUES(2,'e5a6edb9f478',1,100,'Line 0 of chapter 0, by Doctor Harrow.','heart','3000f3004ec2559ed4eac5c5276184710d4a38cf4c192fdb590247016c82eb0a','en-US',1.0,24000,1,2400,0.01,'[]',0,'hibari:631eef7dcfc7ed82','6954f1655976dcc7cca38611fa5598d75acff9a15cb290f0a4d5aa6a1c16ae6c','09671586f1f04b04558b8d7d2d5a4f7e3fdc7db816c7c5cbaaa80dde285902e6','2026-11-30T05:04:39.997+00:00');
INSERT INTO "takes" VALUES(3,'5c0af45376b9',2,7,'Chapter 0','recording','','',0.0,24000,1,2400,0.0,'["too short for text (0.1 s, about 0.9 s expected)", "cut at the start", "cut at the end"]',0,'','6d9bdaa7219d4513ebd7f91f76039c8009f7201f952dc7a291d42c1385f64a3d','7eb4a6c6d31e82c3fee8834b2f813747cb184f7cfc5734fff712bdb4ef443cfc','2026-11-30T05:04:40.065+00:00');
CREATE TABLE user_lexicon (
    word TEXT PRIMARY KEY,
    spoken TEXT NOT NULL,
    regex INTEGER NOT NULL DEFAULT 0,
    phonemes INTEGER NOT NULL DEFAULT 0,
    match_case INTEGER NOT NULL DEFAULT 0,
    whole INTEGER NOT NULL DEFAULT 1
) STRICT;
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
    , sample TEXT NOT NULL DEFAULT '') STRICT;
INSERT INTO "voices" VALUES('heart','hibari','heart','','','','','en-US','{}','3000f3004ec2559ed4eac5c5276184710d4a38cf4c192fdb590247016c82eb0a','');
CREATE UNIQUE INDEX takes_of_segment ON takes (segment, number);
CREATE INDEX segments_in_order ON segments (chapter, position);
CREATE INDEX segments_by_voice ON segments (voice);
CREATE INDEX history_in_order ON history (rank);
CREATE INDEX cells_of_entry ON cells (entry, seq);
CREATE INDEX cells_of_row ON cells (tbl, key, entry);
CREATE INDEX queue_in_order ON queue (first DESC, place, id);
CREATE INDEX queue_of_segment ON queue (segment);
CREATE UNIQUE INDEX queue_once ON queue (segment) WHERE candidate = 0 AND remake IS NULL;
CREATE INDEX removed_of_segment ON removed (segment, at, rank);
DELETE FROM "sqlite_sequence";
INSERT INTO "sqlite_sequence" VALUES('queue',5);
INSERT INTO "sqlite_sequence" VALUES('groups',3);
INSERT INTO "sqlite_sequence" VALUES('takes',3);
INSERT INTO "sqlite_sequence" VALUES('history',12);
INSERT INTO "sqlite_sequence" VALUES('cells',91);
INSERT INTO "sqlite_sequence" VALUES('blind_tests',1);
COMMIT;
