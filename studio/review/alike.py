"""Words that are written differently and sound the same."""

from __future__ import annotations

import re

_SPELLINGS = {
    word: pair.split("/")[-1]
    for pair in (
        "cheque/check cheques/checks grey/gray greyer/grayer greys/grays tyre/tire tyres/tires "
        "plough/plow ploughs/plows ploughed/plowed ploughing/plowing pyjamas/pajamas kerb/curb "
        "kerbs/curbs storey/story storeys/stories sceptic/skeptic sceptical/skeptical "
        "sulphur/sulfur sceptics/skeptics programme/program programmes/programs "
        "jewellery/jewelry draught/draft draughts/drafts gaol/jail gaoler/jailer "
        "moustache/mustache mould/mold mouldy/moldy smoulder/smolder smouldered/smoldered "
        "smouldering/smoldering whisky/whiskey axe/ax manoeuvre/maneuver manoeuvres/maneuvers "
        "manoeuvred/maneuvered encyclopaedia/encyclopedia anaemia/anemia anaemic/anemic "
        "anaesthetic/anesthetic aeroplane/airplane foetus/fetus diarrhoea/diarrhea "
        "oesophagus/esophagus paediatric/pediatric mediaeval/medieval archaeology/archeology "
        "judgement/judgment acknowledgement/acknowledgment ageing/aging cosy/cozy furore/furor "
        "woollen/woolen woolly/wooly marvellous/marvelous enrol/enroll enrols/enrolls "
        "fulfil/fulfill fulfils/fulfills instal/install wilful/willful skilful/skillful "
        "instalment/installment enquire/inquire enquired/inquired enquiry/inquiry "
        "enquiries/inquiries licence/license practise/practice practised/practiced "
        "practising/practicing defence/defense defences/defenses offence/offense "
        "offences/offenses pretence/pretense alright/all_right forever/for_ever "
        "goodbye/good_bye tomorrow/to_morrow today/to_day tonight/to_night anyone/any_one "
        "email/e_mail okay/ok o_k/ok mr/mister mrs/missus misses/missus dr/doctor st/saint "
        "prof/professor ms/miz percent/per_cent cannot/can_not vs/versus etc/et_cetera "
        "etcetera/et_cetera gonna/going_to wanna/want_to gotta/got_to kinda/kind_of "
        "outta/out_of dunno/do_not_know lemme/let_me gimme/give_me em/them cause/because "
        "til/till whiskies/whiskeys tis/it_is twas/it_was connexion/connection shew/show "
        "shewed/showed waggon/wagon waggons/wagons grandad/granddad learnt/learned "
        "burnt/burned dreamt/dreamed spelt/spelled spilt/spilled spoilt/spoiled leapt/leaped "
        "leant/leaned"
    ).split()
    for word in pair.split("/")[:1]
}
_RE = (
    "cent|theat|met|lit|fib|lust|sab|calib|somb|spect|meag|scept|och|mit|louv|goit|salt|"
    "kilomet|centimet|millimet|reconnoit|luc|amphitheat|nit|tit|epicent|maneuv"
)
_ENDINGS: tuple[tuple[re.Pattern[str], str], ...] = (
    (re.compile(r"(?<=\w\w)is(e|ed|es|ing|er|ers|ation|ations|able)$"), r"iz\1"),
    (re.compile(r"(?<=\w)ys(e|ed|es|ing|er|ers)$"), r"yz\1"),
    (
        re.compile(
            r"(?<=\w\w\w)our(|s|ed|ing|er|ers|ful|fully|able|ably|less|ly|hood|hoods|ite|ites|y)$"
        ),
        r"or\1",
    ),
    (re.compile(rf"^({_RE})re(s?)$"), r"\1er\2"),
    (re.compile(rf"^({_RE})red$"), r"\1ered"),
    (re.compile(r"^(\w*[aeiou]\w+[aeiou])ll(ed|ing|er|ers|ings)$"), r"\1l\2"),
    (re.compile(r"(?<=\w)ogue(s?)$"), r"og\1"),
)
"""British endings and the American ones that sound alike."""

_SETS = (
    "their there theyre|through threw|knew new|which witch|way weigh whey|night knight|nights "
    "knights|sun son|suns sons|to too two|for four fore|know no|knows nose noes|right write "
    "rite wright|here hear|by buy bye|see sea|sees seas seize|one won|red read|wear where ware|"
    "your youre yore|hole whole|piece peace|tail tale|tails tales|road rode rowed|"
    "roads rhodes|pair pear pare|main mane maine|plain plane|plains planes|steel steal|wood "
    "would|meat meet mete|ate eight|bow bough|isle aisle|morning mourning|air heir ere|"
    "flour flower|hour our|hours ours|great grate|made maid|mail male|not knot|pail pale|pane "
    "pain|panes pains|past passed|pray prey|principal principle|rain reign rein|raise rays "
    "raze|role roll|sail sale|scene seen|sew so sow|sole soul|stair stare|stake steak|"
    "stationary stationery|tea tee|tide tied|time thyme|toe tow|vain vane vein|vale veil|waist "
    "waste|wait weight|weather whether|week weak|wine whine|yoke yolk|bare bear|be bee|beach "
    "beech|been bean|beat beet|blew blue|board bored|brake break|bread bred|bridal bridle|"
    "ceiling sealing|cell sell|cellar seller|cent scent sent|cereal serial|chord cord|cite "
    "sight site|coarse course|council counsel|creak creek|crews cruise|currant current|days "
    "daze|dear deer|dew due|die dye|died dyed|doe dough|dual duel|earn urn|fair fare|feat feet|"
    "find fined|fir fur|flea flee|flew flu flue|foul fowl|gait gate|gilt guilt|groan grown|"
    "guessed guest|hail hale|hair hare|hall haul|heal heel|heard herd|heroin heroine|hi "
    "high|him hymn|hoarse horse|holy wholly|idle idol|in inn|key quay|knead need|lain lane|"
    "lead led|leak leek|lessen lesson|lie lye|load lode|loan lone|maize maze|medal meddle|"
    "might mite|mind mined|miner minor|missed mist|moan mown|muscle mussel|naval navel|none "
    "nun|oar or ore|paced paste|patience patients|pause paws|peak peek pique|peal peel|pedal "
    "peddle|peer pier|plum plumb|pole poll|poor pour pore|practice practise|profit prophet|rap "
    "wrap|real reel|reed read|ring wring|root route|rose rows|rough ruff|rung wrung|seam seem|"
    "serf surf|shear sheer|shoe shoo|side sighed|slay sleigh|soar sore|some sum|staid stayed|"
    "straight strait|sweet suite|taught taut|team teem|tear tier|throne thrown|tic tick|told "
    "tolled|troop troupe|wail whale|war wore|warn worn|we wee|weave weve|wrote "
    "rote|whose whos|allowed aloud|altar alter|ant aunt|arc ark|bail bale|ball bawl|band "
    "banned|baron barren|berry bury|berth birth|billed build|bolder boulder|born borne|cast "
    "caste|cheap cheep|chews choose|chilly chili|clause claws|climb clime|colonel kernel|core "
    "corps|crewed crude|cue queue|desert dessert|discreet discrete|eye i aye|eyes ayes|faint "
    "feint|fate fete|forth fourth|foreword forward|frees freeze|grease greece|hangar hanger|"
    "hay hey|jam jamb|lacks lax|links lynx|mantel mantle|marshal martial|metal mettle|moor "
    "more|packed pact|palate palette|pi pie|please pleas|presence presents|quarts quartz|rays "
    "raise|retch wretch|rye wry|sacks sax|sachet sashay|shake sheikh|sink sync|sloe slow|staff "
    "staph|sword soared|tacks tax|tern turn|throes throws|trussed trust|vial vile|wade weighed|"
    "wares wears|wave waive|wet whet|whirled world|siobhan shivon shivaun shevaun|cholmondeley "
    "chumley|featherstonehaugh fanshaw|beauchamp beecham|leicester lester|worcester wooster|"
    "gloucester gloster|niamh neve neeve|sean shawn shaun|saoirse seersha sersha|aoife eefa "
    "efa|marjoribanks marchbanks|mainwaring mannering|caius keys|magdalen "
    "maudlin|anne ann|claire clare|sara sarah|jon john|geoffrey jeffrey|catherine katherine "
    "kathryn|stephen steven|philip phillip|mathew matthew|thomson thompson|smith smyth|clark "
    "clarke|browne brown|greene green|reid reed|allan allen alan|isabel isobel|teresa theresa|"
    "lewis louis|stewart stuart|derrick derek|eric erik|louise luise|hannah hanna|"
    "deborah debra|carl karl|marc mark"
)


def spelled(word: str) -> str:
    """A word in the spelling that stands for all of its spellings; several words for some.

    Args:
        word: In small letters, without marks.
    """
    if word in _SPELLINGS:
        return _SPELLINGS[word].replace("_", " ")
    for ending, other in _ENDINGS:
        word, changed = ending.subn(other, word)
        if changed:
            break
    return word


def _sounds() -> dict[str, str]:
    """One word for each set; a word that is said in two ways belongs to its first set."""
    found: dict[str, str] = {}
    for group in _SETS.split("|"):
        for word in group.split():
            found.setdefault(word, group.split()[0])
    return found | {figure: found[word] for figure, word in _FIGURES.items()}


_FIGURES = {"1": "one", "2": "two", "4": "four", "8": "eight"}

SOUNDS = _sounds()
"""The word that stands for all words with its sound; figures that sound like words too."""
