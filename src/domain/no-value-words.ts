import { LONGEST_NAME, nameForm, withoutAccents } from './name-form.ts'

/**
 * Lists what people and programs write for "no value", in the languages whose months are known. One spelling stands for
 * all: case, accents, brackets, quotes, dots, dashes and slashes do not matter. What is listed in brackets is a word only
 * in brackets, as Tom is a name.
 */
const WORDS = [
  'nil|none|null|na|n/a|n. a.|nan|nat|pd.na|np.nan|nan(ind)|undefined|void|tbd|tba|tbc|t. b. d.|t. b. a.|missing|no data|no value',
  'not available|not applicable|not assigned|not set|not specified|not defined|not known|not given|not provided',
  'not stated|not recorded|not reported|no name|no entry|no information|nothing|blank|blanks|empty|unknown|unspecified',
  'unassigned|unnamed|undetermined|unavailable|inapplicable|unallocated|to be determined|to be defined|to be announced',
  'to be confirmed|data missing|missing value|without|object object|n/v|nd|nc|bd|n/d|s/o|s/d|b/d',
  'k. a.|o. a.|entf.|keine|kein|keiner|ohne|leer|unbekannt|unbek.|nicht bekannt|nicht zugeordnet|nicht zugewiesen|nicht vorhanden',
  'nicht verfügbar|nicht zutreffend|nicht anwendbar|nicht angegeben|nicht definiert|nicht gesetzt|nicht erfasst|nicht relevant',
  'keine angabe|keine angaben|keine daten|keine zuordnung|keine information|kein wert|kein eintrag|kein name|ohne angabe|ohne wert',
  'ohne name|ohne namen|ohne zuordnung|fehlt|fehlend|fehlender wert|entfällt|unbestimmt|undefiniert|noch offen|trifft nicht zu',
  'inconnu|inconnue|non renseigné|non renseignée|sans objet|non disponible|non applicable|non défini|non spécifié|non attribué',
  'non communiqué|non précisé|non affecté|pas de données|aucune donnée|aucun|aucune|aucune valeur|sans valeur|sans nom|vide|manquant',
  'à définir|à déterminer|n. r.|n. c.|indéfini|indéterminé',
  'sin dato|sin datos|sin valor|sin asignar|sin especificar|sin nombre|sin información|desconocido|desconocida|no disponible',
  'no aplica|no aplicable|no asignado|no especificado|no definido|no consta|ninguno|ninguna|nulo|vacío|vacía|en blanco|por definir',
  'sconosciuto|sconosciuta|non assegnato|non specificato|non definito|nessuno|nessuna|nessun dato|nessun valore|dato mancante',
  'mancante|vuoto|vuota|senza valore|da definire|non pervenuto|nullo',
  'desconhecido|desconhecida|sem dados|sem valor|sem nome|sem informação|não disponível|não aplicável|não se aplica|não atribuído',
  'não especificado|não informado|não definido|nenhum|nenhuma|vazio|vazia|em branco|a definir',
  'nvt|n. v. t.|onbekend|geen|geen gegevens|geen waarde|geen data|niet beschikbaar|niet van toepassing|niet toegewezen|leeg',
  'niet ingevuld|niet bekend|niet gespecificeerd|ontbreekt|zonder',
  'saknas|okänd|okänt|uppgift saknas|inga data|inget|ingen|inget värde|ej tillgänglig|ej tillämpligt|ej tillämplig|ej angivet',
  'ukendt|ingen data|ingen værdi|ikke tilgængelig|ikke relevant|ikke angivet|ikke tildelt|mangler|ikke oplyst',
  'ukjent|ingen verdi|ikke tilgjengelig|ikke aktuelt|ikke oppgitt|ikke tilordnet|ikke spesifisert|(tom)|(tomt)',
  'tuntematon|ei tietoa|ei saatavilla|ei sovellettavissa|ei määritetty|ei arvoa|ei mitään|puuttuu|tyhjä|óþekkt|engin gögn|vantar',
  'brak|brak danych|brak wartości|nieznany|nieznana|nieznane|nie dotyczy|niedostępne|nieokreślony|nieprzypisany|nie podano',
  'puste|pusty|neznámý|neznámá|neznámé|není k dispozici|nepřiřazeno|neuvedeno|bez hodnoty|žádná data|žádný|prázdné|chybí',
  'neznámy|neznáma|neznáme|nie je k dispozícii|nepriradené|neuvedené|žiadne údaje|žiadny|chýba',
  'ismeretlen|nincs|nincs adat|nincs megadva|nem ismert|nem elérhető|nem alkalmazható|hiányzik|üres',
  'necunoscut|necunoscută|fără date|fără valoare|indisponibil|nespecificat|nedefinit|niciunul|lipsă|(gol)',
  'nepoznat|nepoznata|nepoznato|nema podataka|nema|nije dostupno|nije primjenjivo|nije dodijeljeno|prazno|neznano|neznan',
  'ni podatka|ni podatkov|ni na voljo|непознат|непознато|нема података|нема|празно',
  'неизвестно|неизвестный|неизвестная|неизвестен|нет|нет данных|нет значения|н/д|не указано|не указан|не задано|не определено',
  'не применимо|не назначено|недоступно|отсутствует|пусто|без названия|без имени|няма|няма данни|няма стойност|неприложимо',
  'невідомо|невідомий|немає|немає даних|не вказано|не визначено|відсутнє|порожньо|невядома|няма даных|няма дадзеных',
  'άγνωστο|άγνωστος|άγνωστη|κενό|δεν υπάρχει|δεν ισχύει|χωρίς τιμή|χωρίς δεδομένα|μη διαθέσιμο|καμία τιμή|δ/υ',
  'bilinmiyor|bilinmeyen|yok|veri yok|değer yok|boş|belirtilmemiş|belirsiz|tanımsız|uygulanamaz|mevcut değil|atanmamış',
  'teadmata|tundmatu|puudub|andmed puuduvad|määramata|tühi|nezināms|nezināma|nav datu|nav zināms|nav pieejams|tukšs',
  'nežinoma|nežinomas|nėra|nėra duomenų|nepriskirta|nenurodyta|tuščia',
  'לא ידוע|לא ידועה|אין|אין נתונים|אין מידע|ריק|לא זמין|לא רלוונטי|לא הוגדר|לא מוגדר|ללא|ללא ערך|חסר',
  'غير معروف|غير معروفة|مجهول|غير محدد|غير متوفر|غير متاح|غير معين|لا يوجد|لا توجد بيانات|لا شيء|لا ينطبق|فارغ|بدون|بلا',
  'अज्ञात|उपलब्ध नहीं|लागू नहीं|कोई नहीं|कोई डेटा नहीं|रिक्त|ไม่ทราบ|ไม่มี|ไม่มีข้อมูล|ไม่ระบุ|ไม่เกี่ยวข้อง|ว่าง|ว่างเปล่า',
  '无|無|空|空白|空值|无数据|無資料|暂无|暂无数据|没有|没有数据|未知|不明|不详|不詳|未指定|未分配|未设置|未設定|未填写|不适用|不適用|缺失|不可用',
  'なし|無し|該当なし|該当無し|データなし|値なし|未入力|未定|未登録|未割り当て|未割当|対象外|記載なし|記入なし|空欄|欠損|適用外|不詳',
  '없음|없다|알 수 없음|알수없음|미상|미정|미지정|미분류|미배정|데이터 없음|데이터없음|자료 없음|해당 없음|해당없음|빈 값|공백|불명|비어 있음',
  'tidak diketahui|tidak ada|tidak ada data|tidak tersedia|tidak berlaku|tiada|tiada data|kosong|desconegut|desconeguda|sense dades',
  'ns/nc|nedostupné|nedostupný|(leere)|(vides)|(vacías)|(vacíos)|(vuote)|(vuoti)|(in bianco)|(vazias)|(vazios)',
  '(lege)|(lege cellen)|(tomma)|(tomme)|(tyhjät)|(prázdná)|(prázdny)|(üresek)|(goale)|(пустые)|(порожні)|(κενά)|(boş olanlar)|(空白セル)',
  'sense valor|no disponible|buit|buida|không rõ|không có|không có dữ liệu|không xác định|không áp dụng|chưa rõ|chưa xác định|trống',
]
/** Lists what spreadsheets show for truth values. */
const TRUTH_VALUES = [
  'true|false|wahr|falsch|vrai|faux|verdadero|falso|verdadeiro|waar|onwaar|sann|falskt|prawda|fałsz|pravda|nepravda|igaz|hamis',
  'adevărat|истина|ложь|doğru|yanlış|epätosi|αληθεσ|ψευδεσ',
]
/** Lists words for errors; a KPI may count these. */
const ERRORS = [
  'error|err|fehler|erreur|errore|erro|fout|fel|fejl|feil|virhe|błąd|chyba|hiba|eroare|greška|napaka|грешка|ошибка|помилка|памылка',
  'σφάλμα|hata|viga|kļūda|klaida|שגיאה|خطأ|त्रुटि|ข้อผิดพลาด|错误|錯誤|エラー|오류|에러|kesalahan|ralat|lỗi',
]
/** Lists the errors of spreadsheets, in the languages of Excel, which may have lost the `!` or `?` behind them. */
const ERROR_CODES = [
  'ref|name|value|num|null|n/a|div/0|spill|calc|field|blocked|connect|busy|unknown|error|getting data|python',
  'bezug|wert|zahl|überlauf|feld|blockiert|verbinden|beschäftigt|unbekannt|valeur|nombre|nom|nul|calcul|epars|champ|bloqué',
  'valor|núm|nulo|desbordamiento|campo|valore|nome|rif|nullo|espansione|waarde|naam|verw|getal|leeg|overloop',
  'värdefel|referens|namn|ogiltigt|skärning|værdi|reference|navn|verdi|arvo|viittaus|nimi|luku|tyhjä|jako/0',
  'adr|nazwa|liczba|hodnota|odkaz|název|číslo|názov|érték|hiv|név|szám|zérósztó|nullosztó|değer|başv|sayı|sayı/0|bölü/0',
  'знач|ссылка|имя|число|дел/0|пусто|посилання|ім’я|діл/0',
]
/** Matches errors that have lost the `#`, and can be nothing else. */
const BARE_ERRORS = /^#?(?:div\/0|ref)!$/u

const IN_BRACKETS = /^["'`‘’“”]*[([{<«「【].*[)\]}>»」】]["'`‘’“”]*$/u
const SIGNS = /[^\p{L}\p{N}]+/gu
const DIGIT = /\d/u
/** Bounds the texts that are compared with the words. */
const LONGEST_WORD = 60

/** Returns a text with nothing but its words, in the form in which these are compared. */
const foldWords = (text: string): string =>
  withoutAccents(nameForm(text.replaceAll('´', "'")))
    .replaceAll(SIGNS, ' ')
    .trim()

const split = (lines: readonly string[]): string[] => lines.flatMap((line) => line.split('|'))
const setOf = (words: readonly string[]): ReadonlySet<string> => new Set(words.map(foldWords))

const all = split(WORDS)
const ANYWHERE = setOf(all.filter((word) => !IN_BRACKETS.test(word)))
const ONLY_IN_BRACKETS = setOf(all.filter((word) => IN_BRACKETS.test(word)))
const OF_TRUTH = setOf(split(TRUTH_VALUES))
const OF_ERRORS = setOf(split(ERRORS))
const OF_ERROR_CODES = setOf(split(ERROR_CODES))

/** Lists codes of places among the words, such as North Carolina, which are names more often than not. */
const CODES_OF_PLACES: ReadonlySet<string> = new Set(['nc', 'bd'])

/** Matches the errors of LibreOffice, such as `Fehler:502`, and of Visual Basic, such as `Error 2042`, behind any word. */
const NUMBERED = /^#?([^\s:#\d]+)(?: ?[:：] ?5\d\d| 20(?:00|07|15|23|29|36|4\d|50))$/u
/** Matches what old programs print for numbers that are none. */
const NO_NUMBER = /^[-+]?1\.#(?:inf|ind|qnan|snan)0*$/u
/** Matches what databases export for NULL, and what a spreadsheet shows before it has a value. */
const NOT_YET =
  /^\\n$|^#?(?:loading|wird geladen|lädt|chargement|cargando|caricamento|carregando|laden|laddar|ładowanie|загрузка) ?\.{2,}$/u
/** Matches what a name needs: a letter, a number, a picture, or the sign of a unit. */
const NAMING = /[\p{L}\p{N}\p{Sc}\p{So}%‰]/u

/** Tells whether a text is a word for "no value", in any of its spellings. */
export const isNoValueWord = (text: string): boolean => {
  if (text.length > LONGEST_WORD || DIGIT.test(text)) return false
  const words = foldWords(text)
  return words !== '' && (ANYWHERE.has(words) || (ONLY_IN_BRACKETS.has(words) && IN_BRACKETS.test(nameForm(text))))
}

/** Tells whether a text is an error of a spreadsheet with its number, in the language of the spreadsheet. */
export const isNumberedError = (text: string): boolean => {
  const word = NUMBERED.exec(text)?.[1]
  return word !== undefined && OF_ERRORS.has(foldWords(word))
}

/** Matches what a spreadsheet shows in a column that is too narrow. */
const NARROW = /^#+$/

/** Tells whether a text is what a spreadsheet shows in a column that is too narrow. */
export const isTooNarrow = (shown: string): boolean => NARROW.test(shown)

/**
 * Matches what spreadsheets show for "not available", also with the reason that a feed of data adds; their other errors
 * are mistakes.
 */
const NOT_AVAILABLE = /^#(?:N\/A(?: .*)?|N\/D|N\/B|Н\/Д|I\/T|NV|NA|ND|YOK|PUUTTUU|HIÁNYZIK)$/iu

/** Tells whether a text is what a spreadsheet shows for "not available". */
export const isNotAvailable = (shown: string): boolean => NOT_AVAILABLE.test(shown)

/** Matches an error as a spreadsheet shows it, and no number whose format shows a `#` before it. */
const ERROR_VALUE = /^(?:#[¡¿]?\p{L}[\p{L}\p{N}/ _]*[!?]|#GETTING_DATA)$/iu

/** Tells whether what a cell shows is an error of the spreadsheet instead of its value. */
export const isSpreadsheetError = (shown: string): boolean =>
  ERROR_VALUE.test(shown) || isNotAvailable(shown) || isNumberedError(shown)

/**
 * Tells whether a text can hardly name anything: an error of a spreadsheet, a word for "no value", or signs alone;
 * `mayCount` is for KPIs, which may count errors.
 */
export const isNoName = (name: string, mayCount = false): boolean => {
  const text = nameForm(name)
  if (isSpreadsheetError(text) || isTooNarrow(text)) return true
  if (text.length > LONGEST_NAME) return false
  if (text !== '' && !NAMING.test(text)) return true
  if (NO_NUMBER.test(text) || NOT_YET.test(text) || BARE_ERRORS.test(text)) return true
  const words = foldWords(text)
  if (text.startsWith('#') && OF_ERROR_CODES.has(words)) return true
  if (OF_TRUTH.has(words) || (!mayCount && OF_ERRORS.has(words))) return true
  return !CODES_OF_PLACES.has(words) && isNoValueWord(text)
}
