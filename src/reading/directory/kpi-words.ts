/**
 * Lists words in the name of a KPI that say that its periods are averages and not sums, in the languages in which files
 * are read.
 */
const AVERAGED = [
  'average avg mean median rate ratio price index score share level temperature percentage percent pct margin yield',
  'utilization utilisation occupancy density per ø satisfaction rating nps balance stock inventory headcount population',
  'employees employee fte ftes backlog factor time duration age speed latency',
  'durchschnitt mittel mittelwert rate quote preis index anteil temperatur bestand auslastung prozent kurs köpfe mitarbeiter',
  'moyenne moyen taux prix indice part niveau effectif effectifs stock pourcentage promedio media tasa precio cuota nivel saldo porcentaje',
  'prezzo tasso quota livello media preço taxa índice gemiddelde prijs aandeel voorraad średnia stopa cena udział pris',
  'andel nivå medel 平均 率 価格 指数 残高 人口 气温 价格 比例 价 率 средняя цена доля индекс',
]
const averaged = new Set(AVERAGED.flatMap((line) => line.split(' ')))
/** Lists endings that stand without a blank before them in languages that write none. */
const AVERAGED_ENDINGS = ['率', '平均', '価格', '指数', '価', '价格', '比', 'quote', 'rate', 'preis', 'kurs', 'bestand']

/** Returns the word in a name that says that its values are averaged; undefined if there is none. */
export const averagedWord = (name: string): string | undefined => {
  const words = name.toLowerCase().split(/[^\p{L}\p{N}ø]+/u)
  return words.find(
    (word) => averaged.has(word) || AVERAGED_ENDINGS.some((end) => word.length > end.length && word.endsWith(end)),
  )
}

const PERCENT =
  /%|\b(?:percent|percentage|per cent|pct|prozent|pourcentage|porcentaje|percentuale|percentagem|procent)\b/i

/** Tells whether the name of a KPI says that its values are percentages. */
export const namesPercent = (name: string): boolean => PERCENT.test(name)
