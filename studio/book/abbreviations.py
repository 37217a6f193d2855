"""Which short words end in a full stop without ending a sentence, per language."""

from __future__ import annotations

import re
from collections.abc import Mapping

from studio.book.numerals import roman_value


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


TITLES: Mapping[str, frozenset[str]] = {
    "en": _words(
        "Dr Mr Mrs Ms Mx Prof Rev Revd Gen Capt Lt Sgt Sen Gov Mt Ft Messrs Hon Fr Col Maj Cmdr "
        "Cdr Cpl Pvt Pfc Adm Brig Supt Insp Pres Rep Sr Br Mme Mlle Mgr Msgr Pte Amb Atty Det Sec "
        "Treas Sts Ste Lieut Ald Bp Abp Secy Wm Geo Chas Thos Jas Jno Robt Benj Saml Edw Fredk"
    ),
    "de": _words(
        "Dr Hr Fr Fa Mio Mrd Tsd Prof Frl Hrn St Nr Abb Bd Hl bzw z d u evtl ggf vgl Vgl sog "
        "Str Kap Ing Dipl Mag med jur phil theol rer nat habil Gebr"
    ),
    "fr": _words(
        "M MM Mme Mmes Mlle Mlles Dr Me Mgr St Ste cf av apr éd chap fig env Prof Cie Av Apr Éd "
        "Vve Ch Ph Th Alph Fréd bd Bd janv févr avr juil déc"
    ),
    "es": _words(
        "Sr Sra Srta Sres Sras Dr Dra Prof Profa Ud Uds Vd Vds D Dña Avda núm pág págs Núm Pág EE "
        "Sto Sta Gral Cía Lic Ing Mons Excmo Excma Ilmo Ilma Cnel Cdte Tte Sgto Alm Pdte Arq "
        "Fr Cap ene feb abr dic"
    ),
    "it": _words(
        "Sig sig Sigg sigg Dott dott Prof prof Avv avv Ing ing Mons mons Rag Geom S SS St"
    ),
    "ru": _words("см См ср Ср им ул проф Проф акад Акад тов св Св"),
}
"""Words that stand before a name, and those the language never ends a sentence with."""

NUMBERED = _words(
    "No Nos no nos p pp P Pp vol Vol vols Vols ch Ch chap Chap fig Fig figs Figs sec Sec art Art "
    "para paras c ca approx cf ed eds op Op h S Abb Nr núm pág Bd Kap n tab Tab eq Eq v vv ll col "
    "fol f lib bk Bk pt Pt Sect Sects Mk Sc sc Bldg Rm Apt apt Tel tel Ext ext cap Cap pag Pag Pág "
    "Núm Cor Matt Rom Ps Pss Lk Mk Jn Isa Jer Ezek Deut Exod Lev Prov Eccl Eph Gal Phil Thess Tim "
    "Heb Kgs Chron Pet max Abs al réf Réf ap стр Стр рис Рис гл Гл табл"
)
"""Words that take a number after their full stop: ``No. 10``."""

_NUMBERED_BY_ONE_LETTER = _words(
    "Vol Vols Ch Chap Fig Figs Tab Pt Bk Bd Op Eq Sec Sect Kap Abb Mk Sc vol ch chap bk"
)
_LETTERED = _words("Fig Figs Apt Bldg")
_LETTER = re.compile(r"\s?[A-Z]\b(?!['’])")
_ROMAN_NUMBER = re.compile(r"\s?([IVXLC]{1,9}|[ivxlc]{1,7})\b(?!['’])")


def takes_number(word: str, following: str) -> bool:
    """Whether a word of `NUMBERED` has its number behind its full stop.

    ``No. 10`` and ``No. IV`` do. A Roman number of one letter counts after words that end no
    sentence: ``Vol. I``, but not ``No. I will not`` and ``Wait a sec. I’ll come``.
    """
    if word not in NUMBERED:
        return False
    if following.lstrip()[:1].isdigit() or (word in _LETTERED and _LETTER.match(following)):
        return True
    roman = _ROMAN_NUMBER.match(following)
    if roman is None or roman_value(roman[1].upper()) == 0:
        return False
    return len(roman[1]) > 1 or word in _NUMBERED_BY_ONE_LETTER


CONNECTING = _words(
    "e.g i.e eg ie viz cf vs v al approx aprox esp incl excl resp c ca q.v E.g I.e Cf Viz Approx"
)
"""Words that always lead on to what follows."""

CREDITING = _words("ed eds trans illus repr rev introd")
"""Words that lead on to a name where a book is described: ``(ed. J. Smith)``."""

UNITS = _words("lb lbs oz ft in yd mi ml cm mm km kg mg hr hrs min sec h m g l")
"""Measures, which are abbreviations only after a number: ``Come in.`` ends a sentence."""

EITHER_WAY = UNITS | _words(
    "temp dept govt Govt misc max suiv "
    "etc Co Ltd Inc Jr Sr Bros Corp a.m p.m am pm A.M P.M U.S U.K U.N B.C A.D D.C Ph.D M.A B.A M.D "
    "B.C.E C.E St Ave Blvd Rd Sq Est Dept Jan Feb Mar Apr Jun Jul Aug Sep Sept Oct Nov Dec Mon "
    "Tue Tues Wed Thu Thur Thurs Fri Sat Sun usw usf UU Esq p.c ecc г гг руб коп тыс млн млрд мин "
    "др пр д п"
)
"""Words that may or may not end a sentence; the next word decides."""

ENDERS = _words("etc usw usf a.m p.m b.c a.d ecc др пр д п руб коп")
"""Of those, the ones after which any capital starts a sentence."""

STARTERS = _words(
    "The A An He She It They We I You His Her Its Their Our My Your This That These Those There "
    "Here Then Now But And Or So Yet For Nor If When While Where What Who Why How As At In On "
    "After Before Once Nobody Everyone Everybody Nothing Some Many Few No Not Yes Was Were Did Do "
    "Does Is Are Both All One Two Three Only Even Still Just Perhaps Maybe Later Soon Meanwhile "
    "However Because Although Though Since Until Unless Whether Every Each Another Such Someone "
    "Somebody Something Everything Neither Either Let Please Suddenly Finally Tomorrow Yesterday "
    "Today Tonight Nevertheless Instead Never Always Sometimes To From With Without By Of "
    "Der Die Das Er Sie Es Wir Ich Ihr Dann Da Aber Und Doch Ein Eine Niemand Dort Danach Heute "
    "Am Im In Als Wenn Man Nun Jetzt Alle Keiner Später Auch Noch So Warum Wo Wer Was Wie "
    "Le La Les Il Elle Ils Elles Nous Vous Je Puis Mais Et On Un Une Ce Cela Personne Alors "
    "Quand Après Rien Tout Ensuite Pourtant "
    "El Los Las Ella Ellos Yo Entonces Pero Y Nadie Se Un Una Lo Después Luego Cuando Nada Todo "
    "Он Она Оно Они Мы Вы Я Но И А Это В На Потом Тогда Там Никто Все"
)
"""Words whose capital means that a sentence starts, because they are no names."""

NEVER_NAMES = _words(
    "The He She It They We You His Her Its Their Our My Your This That These Those There Then But "
    "And When Nobody Everyone Er Sie Es Wir Dann Aber Il Elle Ils Elles Nous Vous Ella Ellos Pero"
)
"""Of those, the ones that nobody is called, so that no initial stands before them."""

SPEECH_VERBS = (
    "said says asked asks cried shouted called replied answered whispered muttered murmured "
    "exclaimed yelled screamed added snapped growled sighed began continued demanded enquired "
    "inquired repeated returned insisted agreed thought wondered hissed gasped laughed sobbed "
    "roared bellowed protested declared remarked observed told interrupted barked breathed "
    "mumbled groaned moaned pleaded begged ordered commanded urged suggested offered admitted "
    "announced warned promised lied joked teased stammered stuttered shrieked croaked drawled "
    "grunted retorted responded explained concluded objected persisted conceded echoed mused "
    "bawled howled wailed whimpered whined grumbled screeched hollered squealed squeaked snarled "
    "chirped cooed purred spat sneered scoffed quipped rasped thundered vowed swore volunteered "
    "ventured confided confessed complained commented corrected countered queried stated blurted "
    "advised assured implored lamented marvelled prompted reasoned wheezed yelped "
    "sagte fragte rief antwortete flüsterte schrie meinte erwiderte "
    "dit demanda cria répondit murmura s’écria reprit "
    "dijo preguntó gritó respondió contestó murmuró exclamó"
).split()
"""Verbs of a speech tag, in the forms that follow a quotation."""
