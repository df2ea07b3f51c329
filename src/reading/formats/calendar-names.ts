import { type Day, weekday } from '../../domain/day.ts'

const list = (...lines: readonly string[]): readonly string[] => lines.flatMap((line) => line.split(' '))

/**
 * Lists the names of months from January on, in full, in the case that they have in dates, and as spreadsheets shorten
 * them; accents may be left out. They are those of the languages whose encodings are detected.
 */
const MONTHS: readonly (readonly string[])[] = [
  list(
    'january jan januar jän jänner janvier janv enero ene gennaio gen janeiro januari styczeń stycznia sty tammikuu',
    'tammikuuta tammi leden ledna januára ianuarie ian siječanj siječnja јануар јан јануари януари январь января',
    'янв січень січня січ студзень студзеня ιανουάριος ιανουαρίου ιαν ocak oca jaanuar jaan janvāris sausis sausio',
    'ינואר يناير जनवरी มกราคม ม.ค 一月 gener',
  ),
  list(
    'february feb februar feber février févr fév febrero febbraio fevereiro fev februari luty lutego lut helmikuu',
    'helmikuuta helmi únor února úno februára febr februarie veljača veljače фебруар феб февруари февраль февраля',
    'февр фев лютий лютого лют люты лютага φεβρουάριος φεβρουαρίου φεβ şubat şub veebruar veebr februāris vasaris',
    'vasario פברואר فبراير फ़रवरी กุมภาพันธ์ ก.พ 二月 febrer',
  ),
  list(
    'march mar märz mär mrz mars marzo março maart mrt marzec marca maaliskuu maaliskuuta maalis březen března bře',
    'marec március márc martie ožujak ožujka mart март мар марта березень березня бер сакавік сакавіка μάρτιος',
    'μαρτίου μαρ märts kovas kovo maret mac מרץ مارس मार्च มีนาคม มี.ค 三月',
  ),
  list(
    'april apr avril avr abril abr aprile kwiecień kwietnia kwi huhtikuu huhtikuuta huhti duben dubna apríla',
    'április aprilie travanj travnja април апр апрель апреля квітень квітня квіт красавік красавіка απρίλιος',
    'απριλίου απρ nisan nis aprill aprīlis balandis balandžio אפריל أبريل अप्रैल เมษายน เม.ย 四月',
  ),
  list(
    'may mai mayo maggio mag maio mei maj maja toukokuu toukokuuta touko květen května kvě május svibanj svibnja',
    'мај май мая травень травня трав μάιος μαΐου mayıs maijs gegužė gegužės מאי مايو मई พฤษภาคม พ.ค 五月 maig',
  ),
  list(
    'june jun juni juin junio giugno giu junho czerwiec czerwca cze kesäkuu kesäkuuta kesä červen června čvn júna',
    'június iunie iun lipanj lipnja junij јун јуни юни июнь июня июн червень червня черв чэрвень чэрвеня ιούνιος',
    'ιουνίου ιουν haziran haz juuni jūnijs birželis birželio יוני يونيو जून มิถุนายน มิ.ย 六月 juny',
  ),
  list(
    'july jul juli juillet juil julio luglio lug julho lipiec lipca heinäkuu heinäkuuta heinä červenec července čvc',
    'júla július iulie iul srpanj srpnja julij јул јули юли июль июля июл липень липня лип ліпень ліпеня ιούλιος',
    'ιουλίου ιουλ temmuz tem juuli jūlijs liepa liepos julai יולי يوليو जुलाई กรกฎาคม ก.ค 七月 juliol',
  ),
  list(
    'august aug août aoû agosto ago augustus augusti agustus sierpień sierpnia sie elokuu elokuuta elo srpen srpna augusta',
    'augusztus kolovoz kolovoza avgust avg август авг августа серпень серпня серп жнівень жніўня αύγουστος',
    'αυγούστου αυγ ağustos ağu augusts rugpjūtis rugpjūčio ogos ogo אוגוסט أغسطس अगस्त สิงหาคม ส.ค 八月 agost ágúst',
  ),
  list(
    'september sep sept septembre septiembre settembre set setembro wrzesień września wrz syyskuu syyskuuta syys',
    'září zář septembra szeptember szept septembrie rujan rujna septembar септембар сеп септември сентябрь сентября',
    'сент сен вересень вересня вер верасень верасня σεπτέμβριος σεπτεμβρίου σεπ eylül eyl septembris rugsėjis',
    'rugsėjo ספטמבר سبتمبر सितंबर กันยายน ก.ย 九月 setembre',
  ),
  list(
    'october oct oktober okt octobre octubre ottobre ott outubro out październik października paź lokakuu lokakuuta',
    'loka říjen října říj októbra octombrie oktobar октобар окт октомври октябрь октября жовтень жовтня жовт',
    'кастрычнік кастрычніка οκτώβριος οκτωβρίου οκτ ekim eki oktoober oktobris spalis spalio אוקטובר أكتوبر अक्टूबर',
    'ตุลาคม ต.ค 十月',
  ),
  list(
    'november nov novembre noviembre novembro marraskuu marraskuuta marras listopadu novembra noiembrie studeni',
    'studenoga novembar новембар нов ноември ноябрь ноября нояб ноя листопад листопада лістапад лістапада νοέμβριος',
    'νοεμβρίου νοε kasım kas novembris lapkritis lapkričio נובמבר نوفمبر नवंबर พฤศจิกายน พ.ย 十一月',
  ),
  list(
    'december dec dezember dez décembre déc diciembre dic dicembre dezembro grudzień grudnia gru joulukuu',
    'joulukuuta joulu prosinec prosince decembra decembrie prosinac prosinca decembar децембар дец декември декабрь',
    'декабря дек грудень грудня груд снежань снежня δεκέμβριος δεκεμβρίου δεκ aralık ara detsember dets decembris',
    'gruodis gruodžio desember דצמבר ديسمبر दिसंबर ธันวาคม ธ.ค 十二月 desembre',
  ),
]

/** Lists the names of the days of the week from Monday on, in full and shortened. */
const WEEKDAYS: readonly (readonly string[])[] = [
  list(
    'monday mon montag mo lundi lun lunes lunedì segunda-feira segunda seg maandag ma måndag mån mandag man',
    'maanantai maanantaina poniedziałek pon pn pondělí po pondelok hétfő luni ponedjeljak ponedeljek ponedeljak',
    'понедељак понеделник понедельник пон пн понеділок δευτέρα δευ pazartesi pzt esmaspäev pirmdiena pirmadienis',
    'senin dilluns 月曜日 月 星期一 周一 월요일 월 الاثنين सोमवार',
    'панядзелак วันจันทร์ mánudagur',
  ),
  list(
    'tuesday tue tues dienstag di mardi mar martes martedì terça-feira terça ter dinsdag tisdag tis tirsdag tirs',
    'tir tiistai tiistaina ti wtorek wt úterý út utorok kedd marți utorak torek уторак уто вторник вт вівторок',
    'τρίτη τρί salı sal teisipäev otrdiena antradienis selasa dimarts 火曜日 火 星期二 周二 화요일 화 الثلاثاء मंगलवार',
    'аўторак วันอังคาร þriðjudagur',
  ),
  list(
    'wednesday wed mittwoch mi mercredi mer miércoles mié mercoledì quarta-feira quarta qua woensdag wo onsdag ons',
    'keskiviikko keskiviikkona ke środa śr sr středa st streda szerda sze miercuri srijeda sreda среда сре сряда ср',
    'середа τετάρτη τετ çarşamba çar kolmapäev trešdiena trečiadienis rabu dimecres 水曜日 水 星期三 周三 수요일 수 الأربعاء',
    'बुधवार',
    'серада วันพุธ miðvikudagur',
  ),
  list(
    'thursday thu thur thurs donnerstag do jeudi jeu jueves jue giovedì gio quinta-feira quinta qui donderdag',
    'torsdag tors tor torstai torstaina to czwartek czw cz čtvrtek čt štvrtok csütörtök joi četvrtak četrtek',
    'четвртак чет четверг четвъртък чт четвер πέμπτη πέμ perşembe per neljapäev ceturtdiena ketvirtadienis kamis',
    'dijous 木曜日 木 星期四 周四 목요일 목 الخميس गुरुवार',
    'чацвер четврток วันพฤหัสบดี fimmtudagur',
  ),
  list(
    'friday fri freitag fr vendredi ven viernes vie venerdì sexta-feira sexta sex vrijdag vr fredag fre perjantai',
    'perjantaina pe piątek pt pátek pá piatok péntek vineri petak petek петак пет петък пятница пт пʼятниця',
    'παρασκευή παρ cuma cum reede piektdiena penktadienis jumat divendres 金曜日 金 星期五 周五 금요일 금 الجمعة शुक्रवार',
    'пятніца петок วันศุกร์ föstudagur',
  ),
  list(
    'saturday sat samstag sonnabend sa samedi sam sábado sáb sabato zaterdag za lördag lör lørdag lør lauantai',
    'lauantaina la sobota sob so szombat szo sâmbătă subota субота суб сабота саб суббота сб σάββατο σάβ cumartesi',
    'cmt laupäev sestdiena šeštadienis sabtu dissabte 土曜日 土 星期六 周六 토요일 토 السبت शनिवार',
    'събота сабота วันเสาร์ laugardagur',
  ),
  list(
    'sunday sun sonntag so dimanche dim domingo dom domenica zondag zo söndag sön søndag søn sunnuntai sunnuntaina',
    'su niedziela niedz nd neděle ne nedeľa vasárnap duminică nedjelja ned nedelja недеља нед неделя воскресенье вс',
    'неділя нд κυριακή κυρ pazar paz pühapäev svētdiena sekmadienis minggu diumenge 日曜日 日 星期日 周日 星期天 일요일 일 الأحد',
    'रविवार',
    'нядзеля недела วันอาทิตย์ sunnudagur',
  ),
]

/** Matches the marks of Latin, Greek, Cyrillic, Hebrew and Arabic letters, which people leave out; those of other scripts are letters. */
const ACCENTS = /[\u0300-\u036f\u0591-\u05c7\u0640\u064b-\u0655]/g
const INVISIBLE = /\p{Default_Ignorable_Code_Point}/gu
/** Matches what stands for an apostrophe, and the signs of abbreviations that have no dot. */
const [APOSTROPHES, ABBREVIATED] = [/[\u02bb\u02bc\u2018\u2019\ua78c`´]/g, /[॰׳]/g]
const [DIGIT, NOT_ASCII, BLANK] = [/\p{Nd}/u, /[^\0-\x7f]/, /\s/g]

/** Returns the value of a digit of any script: those of a script follow each other. */
const latinDigit = (digit: string): string => {
  const code = digit.codePointAt(0) ?? 0
  let value = 0
  while (value < 9 && DIGIT.test(String.fromCodePoint(code - value - 1))) value += 1
  return String(value)
}

/** Bounds the texts that are made plain: normalizing very many marks takes time that grows by the square of their number. */
const LONGEST_TEXT = 400

/** Returns a text with Latin digits, plain blanks, and without invisible signs; a longer one as it is. */
export const plainSigns = (text: string): string =>
  text.length <= LONGEST_TEXT && NOT_ASCII.test(text)
    ? text
        .normalize('NFC')
        .replaceAll(INVISIBLE, '')
        .replaceAll(BLANK, ' ')
        .replaceAll(/(?!\d)\p{Nd}/gu, latinDigit)
    : text

/** Returns a word of a date in the form in which all are compared: plain signs, small letters, no accents, no final dot. */
export const foldWord = (word: string): string => {
  if (word.length > LONGEST_TEXT) return word
  const small = NOT_ASCII.test(word)
    ? plainSigns(word)
        .toLowerCase()
        .normalize('NFD')
        .replaceAll(ACCENTS, '')
        .normalize('NFC')
        .replaceAll('ı', 'i')
        .replaceAll('ß', 'ss')
        .replaceAll(APOSTROPHES, "'")
        .replaceAll(ABBREVIATED, '.')
    : word.toLowerCase()
  return small.trim().replace(/\.$/, '')
}

/** Returns all names of months with their numbers; tests make sure that no name means two months. */
export const monthNames = (): (readonly [name: string, month: number])[] =>
  MONTHS.flatMap((names, at) => names.map((name) => [foldWord(name), at + 1] as const))

/** Returns the English name of a month, which is that of no other one in any language. */
export const englishMonth = (month: number): string => {
  const [name = ''] = MONTHS[month - 1] ?? []
  return name.charAt(0).toUpperCase() + name.slice(1)
}

/** Holds them once a date with a month's name was read. */
let months: ReadonlyMap<string, number> | undefined

/** Bounds the names that are compared; a cell may have many megabytes. */
const LONGEST_NAME = 40

/** Matches the names of months that have numbers, in Japanese, Korean and Vietnamese. */
const NUMBERED_MONTH = /^(?:(\d{1,2}) ?[月월]|th(?:ang|g) ?(\d{1,2}))$/

/** Matches the name of a month in a date. */
export const MONTH_NAME = String.raw`(\d{1,2} ?[月월]|th(?:áng|ang|g\.?) ?\d{1,2}|\p{L}[\p{L}\p{M}.]*)`

/** Returns the month with a name, 1 to 12. */
export const monthOf = (name: string): number | undefined => {
  if (name.length > LONGEST_NAME) return undefined
  const folded = foldWord(name)
  const [, before, after] = NUMBERED_MONTH.exec(folded) ?? []
  const number = Number(before ?? after)
  if (number >= 1 && number <= 12) return number
  return (months ??= new Map(monthNames())).get(folded)
}

/** Holds the days of the week by their names; a name may be of several, in different languages. */
let weekdays: ReadonlyMap<string, ReadonlySet<number>> | undefined

const weekdaysNamed = (name: string): ReadonlySet<number> | undefined => {
  weekdays ??= new Map(
    [
      ...Map.groupBy(
        WEEKDAYS.flatMap((names, at) => names.map((one) => ({ name: foldWord(one), at }))),
        (one) => one.name,
      ),
    ].map(([one, days]) => [one, new Set(days.map(({ at }) => at))]),
  )
  return weekdays.get(foldWord(name))
}

const WEEKDAY_BEFORE = /^([\p{L}\p{M}-]{1,20})[.,]{0,2}\s+/u
const WEEKDAY_BEHIND = /[\s,]{0,2}\(?([\p{L}\p{M}-]{1,20})\.?\)?$/u

/** Describes a date beside the name of a day of the week: the text of the date, and which days have that name. */
type NamedWeekday = { readonly date: string; readonly isOn: (day: Day) => boolean }

/** Splits the name of a day of the week off a date; undefined if there is none. */
export const splitWeekday = (text: string): NamedWeekday | undefined => {
  for (const pattern of [WEEKDAY_BEFORE, WEEKDAY_BEHIND]) {
    const match = pattern.exec(text)
    const days = match ? weekdaysNamed(match[1] ?? '') : undefined
    if (!match || !days) continue
    const date = match.index === 0 ? text.slice(match[0].length) : text.slice(0, match.index)
    return { date: date.trim(), isOn: (day) => days.has(weekday(day)) }
  }
  return undefined
}
