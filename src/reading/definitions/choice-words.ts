import { nearest } from '../../client/nearest.ts'
import type { Field } from '../../domain/schema.ts'
import { foldName } from '../columns/header.ts'

/** Describes the words for a choice of a field. */
type ChoiceWords = { readonly field: string; readonly choice: string; readonly words: readonly string[] }

/** Lists what files write for choices, in the languages in which the heads of columns are read. */
const WORDS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  frequency_id: {
    D: 'day, every day, täglich, taeglich, tag, quotidien, quotidienne, journalier, journalière, jour, diario, diaria, día, giornaliero, giornaliera, quotidiano, giorno, diário, diária, dia, dagelijks, dag, dagligen, daglig, dziennie, dzienny, codziennie',
    W: 'week, every week, wöchentlich, woechentlich, woche, hebdomadaire, semaine, semanal, semana, settimanale, settimana, wekelijks, veckovis, veckovisa, vecka, tygodniowo, tygodniowy, co tydzień',
    M: 'month, every month, monatlich, monat, mensuel, mensuelle, mois, mensual, mes, mensile, mese, mensal, mês, maandelijks, maand, månadsvis, månad, miesięcznie, miesięczny, co miesiąc',
    Q: 'quarter, every quarter, vierteljährlich, vierteljaehrlich, quartalsweise, quartal, vierteljahr, trimestriel, trimestrielle, trimestre, trimestral, trimestrale, kwartaal, per kwartaal, driemaandelijks, kvartalsvis, kvartal, kwartalnie, kwartalny, kwartał',
    Y: 'year, every year, annual, annually, jährlich, jaehrlich, jahr, annuel, annuelle, année, anual, año, annuale, anno, ano, jaarlijks, jaar, årligen, årlig, år, rocznie, roczny, rok',
  },
  value_direction: {
    U: 'high, higher, higher is better, increasing, rising, hoch, höher, hoeher, steigend, aufwärts, aufwaerts, rauf, haut, hausse, croissant, arriba, alto, alta, creciente, ascendente, su, crescente, acima, hoog, hoger, omhoog, stijgend, upp, uppåt, högre, ökande, w górę, wyżej, rosnąco, rosnący',
    D: 'low, lower, lower is better, decreasing, falling, niedrig, niedriger, sinkend, fallend, abwärts, abwaerts, runter, bas, baisse, décroissant, abajo, bajo, baja, decreciente, descendente, giù, basso, bassa, decrescente, abaixo, baixo, baixa, laag, lager, omlaag, dalend, ned, nedåt, lägre, minskande, w dół, niżej, malejąco, malejący',
    N: 'neutral, no direction, keine, kein, ohne, egal, aucun, aucune, neutre, ninguno, ninguna, nessuno, nessuna, nenhum, nenhuma, geen, ingen, inga, brak',
  },
  aggregate_function: {
    AVG: 'mean, durchschnitt, mittelwert, mittel, moyenne, promedio, media, média, gemiddelde, medel, medelvärde, genomsnitt, średnia',
    SUM: 'summe, gesamt, gesamtsumme, somme, totale, suma, somma, soma, som, totaal, summa',
  },
  user_status_id: {
    A: 'aktiv, actif, activo, activa, attivo, attiva, ativo, ativa, actief, aktywny, aktywna',
    L: 'inactive, blocked, gesperrt, inaktiv, verrouillé, verrouillée, bloqué, bloquée, inactif, bloqueado, bloqueada, inactivo, inactiva, bloccato, bloccata, inattivo, inattiva, inativo, inativa, geblokkeerd, vergrendeld, inactief, låst, spärrad, zablokowany, zablokowana, nieaktywny, nieaktywna',
  },
  user_type: {
    Admin:
      'administrator, administratorin, administrateur, administratrice, administrador, administradora, amministratore, amministratrice, beheerder, administratör',
    Director:
      'direktor, direktorin, directeur, directrice, directora, direttore, direttrice, diretor, diretora, direktör, dyrektor',
    Manager: 'managerin, leiter, leiterin, responsable, gerente, responsabile, chef, kierownik',
    User: 'benutzer, benutzerin, nutzer, nutzerin, anwender, utilisateur, utilisatrice, usuario, usuaria, utente, usuário, utilizador, gebruiker, användare, użytkownik',
  },
}

/** Lists the words for each choice of each field. */
export const choiceWords: readonly ChoiceWords[] = Object.entries(WORDS).flatMap(([field, choices]) =>
  Object.entries(choices).map(([choice, words]) => ({ field, choice, words: words.split(', ') })),
)

const keyOf = (field: string, word: string): string => `${field} ${foldName(word)}`

const meant = new Map(
  choiceWords.flatMap(({ field, choice, words }) => words.map((word) => [keyOf(field, word), choice] as const)),
)

/** Returns the choice of a field that a word of one of these languages means; undefined if it means none. */
export const meantChoice = (field: string, text: string): string | undefined => meant.get(keyOf(field, text))

/** Returns the choice, or the word for one, that a mistyped text is near to; undefined if none is. */
export const choiceNearest = (
  name: string,
  { oneOf = [], words = [] }: Pick<Field, 'oneOf' | 'words'>,
  text: string,
): string | undefined =>
  nearest(text, [...oneOf, ...words]) ??
  nearest(
    text,
    choiceWords.flatMap((one) => (one.field === name ? one.words : [])),
  )
