"""The words by which a sentence says who speaks, in English."""

from __future__ import annotations


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_REGULAR = (
    "add admit advise agree announce answer argue ask assure bark bawl beam begin bellow blurt "
    "boast breathe call caution chime chuckle coax command comment complain concede conclude "
    "confess confide confirm continue correct counter croak cry declare demand drawl echo enquire "
    "exclaim explain gasp giggle grin groan growl grumble grunt hiss holler howl implore inquire "
    "insist interrupt joke lament laugh lie moan mumble murmur mutter nod note object observe "
    "offer order plead pray prompt protest query question quip rasp reason recite remark remind "
    "repeat reply respond retort roar scoff scold scream screech shout shriek shrug sigh smile "
    "snap snarl sneer snort sob splutter stammer state stutter suggest tease thunder urge venture "
    "volunteer wail warn wheeze whimper whine whisper wonder yell muse croon"
)
_IRREGULAR = (
    "said says say told tells cried cries replied replies began begins swore swears spoke sang "
    "sings thought thinks spat lied"
)


def _forms(verb: str) -> list[str]:
    """Past and present of a regular verb."""
    if verb.endswith("e"):
        return [f"{verb}d", f"{verb}s"]
    if verb.endswith("y") and verb[-2] not in "aeo":
        return [f"{verb[:-1]}ied", f"{verb[:-1]}ies"]
    if verb.endswith(("sh", "ch", "ss", "x")):
        return [f"{verb}ed", f"{verb}es"]
    if verb in ("sob", "snap", "nod", "grin", "shrug", "quip", "admit"):
        return [f"{verb}{verb[-1]}ed", f"{verb}s"]
    return [f"{verb}ed", f"{verb}s"]


SAID = (
    frozenset(form for verb in _REGULAR.split() for form in _forms(verb))
    | _words(_IRREGULAR)
    | {"went on", "goes on"}
)
"""Verbs of a speech tag: what stands beside a quotation."""

SURE = _words(
    "said says asked asks replied replies answered answers cried cries shouted shouts whispered "
    "whispers muttered mutters murmured murmurs told tells called calls exclaimed added"
)
"""Those that need no comma to be one."""

NOT_OBJECTS = _words(
    "nothing no not little it that this what the a an his her him them their its something "
    "anything everything goodbye good-bye how why where whether"
)
"""After these, “he said …” tells what was said elsewhere, and is no tag."""

PRONOUNS = {"he": "m", "she": "f", "they": "", "i": "", "we": "", "you": "", "it": ""}
"""Who may speak under a pronoun, by gender where it has one."""

NOBODY = _words(
    "someone somebody everyone everybody anyone anybody nobody no-one one another others both all "
    "none who which whoever voices voice crowd reply answer"
)
"""Words that do not say who it was."""

THINGS = _words(
    "sign letter note board book page clock paper inscription label poster headline telegram card "
    "message map door plaque placard ticket screen notice text caption title rule proverb saying "
    "song verse bible newspaper report radio television machine engraving writing envelope diary "
    "wind sea silence look eyes face words word tone"
)
"""What may “say” something and does not speak."""

NOT_NAMES = _words(
    "the a an and but or nor so yet then now when while as if after before because since though "
    "although until unless where here there this that these those what who which why how yes no "
    "not never ever always only just even still again once twice at in on of for from to with by "
    "without into under over up down out off i he she it we you they me him her us them my his its "
    "our your their mine one two three four five all both each every some any many most other "
    "another such well oh ah perhaps maybe suddenly finally slowly softly quietly meanwhile later "
    "outside inside behind beyond beside above below good dear god please thank thanks sorry hello "
    "goodbye indeed besides instead however nobody somebody everyone everybody nothing something "
    "everything someone today tomorrow yesterday tonight chapter part monday tuesday wednesday "
    "thursday friday saturday sunday january february march april june july august september "
    "october november december christmas easter english french german is was were are be been had "
    "has have did do does could would should might must may can will shall let"
)
"""Capitalised or not, no name begins with these."""

_MALE_TITLES = "mr mister sir lord king prince duke count baron father uncle brother"
_FEMALE_TITLES = (
    "mrs ms miss lady queen princess duchess countess madam madame dame mother aunt sister nurse"
)
_OTHER_TITLES = (
    "dr doctor prof professor captain capt colonel col major general gen sergeant sgt lieutenant "
    "lt corporal inspector constable detective reverend rev rabbi judge mx saint st old young "
    "little cousin master chief president senator"
)
TITLES = {
    **dict.fromkeys(_MALE_TITLES.split(), "m"),
    **dict.fromkeys(_FEMALE_TITLES.split(), "f"),
    **dict.fromkeys(_OTHER_TITLES.split(), ""),
}
"""Words before a name, and the gender that they tell."""

MEN = _words(
    "man boy father son brother uncle grandfather king prince duke lord gentleman monk priest lad "
    "husband nephew grandpa dad papa fellow bloke chap guy waiter emperor wizard sir widower"
)
WOMEN = _words(
    "woman girl mother daughter sister aunt grandmother queen princess duchess lady nun wife niece "
    "grandma mum mom mama lass maid waitress witch widow governess empress hostess landlady madam"
)

GIVEN_NAMES = {
    **dict.fromkeys(
        (
            "adam alan albert alexander alfred andrew anthony arthur ben benjamin bill bob brian "
            "charles charlie christopher daniel david dick edmund edward eric ernest francis frank "
            "fred frederick george gerald gilbert harold harry henry herbert hugh isaac jack jacob "
            "james jim joe john jonathan joseph joshua kenneth lawrence leonard luke mark martin "
            "matthew michael mike nathaniel nicholas oliver oscar patrick paul peter philip "
            "ralph richard robert roger samuel simon stephen steven stuart theodore thomas tim "
            "timothy tom victor walter william"
        ).split(),
        "m",
    ),
    **dict.fromkeys(
        (
            "abigail agnes alice amelia amy ann anna anne barbara beatrice bridget caroline "
            "catherine charlotte clara deborah diana dorothy edith eleanor elizabeth ellen "
            "emily emma ethel fanny florence frances georgia grace hannah harriet helen "
            "isabel jane janet jenny joan josephine julia karen kate katherine laura lily lizzie "
            "louisa lucy "
            "margaret maria martha mary matilda maud nancy olivia rachel rebecca rose ruth sally "
            "sarah sophia susan sylvia ursula victoria virginia"
        ).split(),
        "f",
    ),
}
"""Given names that tell a gender."""

PREPOSITIONS = _words(
    "at to from with towards toward behind beside beyond past near over under for by of in into "
    "on onto upon against about around between among after before than like without through"
)
"""A person behind one of these is not who acts."""

STOPS = PREPOSITIONS | _words(
    "and but or as when while who whom whose that which then again aloud too now back once up out "
    "down off away still so if because until since though not was is were had has where there here "
    "thus today instead just only also almost half rather quite very more less first last finally"
)
"""What ends the words for a person behind a verb, as in “said the miller at last”."""

PERCEIVES = _words(
    "heard hears saw sees listened listens read reads felt feels noticed notices remembered "
    "remembers imagined thought knew recalled watched found received opened"
)
"""After these, what follows in quotation marks is another's."""
