/** Holds words of business files: columns, places, names; the encodings are those that offices save them in. */
export const BUSINESS_WORDS: Readonly<
  Record<string, { readonly encodings: readonly string[]; readonly words: string }>
> = {
  de: {
    encodings: ['windows-1252', 'iso-8859-15'],
    words:
      'Umsätze Erträge Größe Menge Stück Verkäufe Bestände Löhne Gebühren Rückläufer Köln München Düsseldorf Österreich Müller Schröder Jäger Weiß für über Zürich Straße Gehälter Aufträge',
  },
  fr: {
    encodings: ['windows-1252', 'iso-8859-15'],
    words:
      'chiffre réalisé bénéfice dépenses période magasin région employés trésorerie créances Orléans Besançon François Hélène Zoé Gérard à déjà société qualité unité clôture marché prévisions août décembre février',
  },
  es: {
    encodings: ['windows-1252', 'iso-8859-15'],
    words:
      'facturación región año mes producción línea categoría número página señal José Martínez Peña Málaga Cádiz León España Logroño Íñigo niños envíos días teléfono artículo Núñez',
  },
  pt: {
    encodings: ['windows-1252', 'iso-8859-15'],
    words:
      'operação São João receitas produção região mês março política previsão Brasília Goiânia Curitiba Paraná Conceição Simões comissões funcionários devoluções preço município água Antônio Magalhães média',
  },
  it: {
    encodings: ['windows-1252', 'iso-8859-15'],
    words:
      'quantità attività città perché università novità fatturato ricavi Forlì Cefalù più società proprietà qualità Nicolò capacità unità però lunedì venerdì',
  },
  sv: {
    encodings: ['windows-1252', 'iso-8859-15'],
    words:
      'försäljning intäkter år månad Göteborg Malmö Åsa Örebro Västerås kostnad lön kvartal Björn Håkan Sjöberg avgångar kunder försök återköp mängd näringsliv Östersund',
  },
  da: {
    encodings: ['windows-1252', 'iso-8859-15'],
    words:
      'omsætning København Ålborg måned år Søren Jørgensen løn indtægter kvartal købere først øst Næstved Rødovre afgør Kjær Bjørn Århus gæster udgående størrelse',
  },
  fi: {
    encodings: ['windows-1252', 'iso-8859-15'],
    words:
      'myynti päivä määrä tuotto henkilöstö Jyväskylä Hämeenlinna Järvenpää käyttö työntekijät Mäkinen Väisänen yhteensä tilikausi lähetykset hävikki Äänekoski',
  },
  pl: {
    encodings: ['windows-1250', 'iso-8859-2'],
    words:
      'przychód wartość ilość Łódź Gdańsk Kraków oddział sprzedaż miesiąc należności zobowiązań Wrocław Poznań Śląsk Żywiec Michał Paweł Bożena Świątek rozchód środki księgowość zużycie źródło dzień tydzień',
  },
  cs: {
    encodings: ['windows-1250', 'iso-8859-2'],
    words:
      'tržby příjem náklady měsíc pobočka středisko Plzeň Třebíč Děčín Ústí Jiří Novák Dvořák Růžička prodejů množství účet zaměstnanců řádek nákupů čtvrtletí výsledek hospodaření Zlín Břeclav',
  },
  sk: {
    encodings: ['windows-1250', 'iso-8859-2'],
    words:
      'tržby náklady mesiac množstvo zákazníkov účtov príjem výdavky Košice Žilina Prešov Ľubomír Štefan Ján Kováč pobočka spoločnosť štvrťrok mzdové zľavy dodávateľ',
  },
  hu: {
    encodings: ['windows-1250', 'iso-8859-2'],
    words:
      'árbevétel bevétel költség időszak telephely készlet Győr Szőlős fűtés működés értékesítés jövedelem dátum Pécs Gyöngyös dolgozók létszám negyedév vevő előző összesen Erzsébet László megrendelő',
  },
  ro: {
    encodings: ['windows-1250', 'iso-8859-2'],
    words:
      'vânzări cheltuieli lună judeţ Bucureşti Iaşi Braşov Constanţa angajaţi creştere preţ cantităţi încasări Timişoara Ştefan facturi şi plăţi câştig trimestru Piteşti datorii',
  },
  hr: {
    encodings: ['windows-1250', 'iso-8859-2'],
    words:
      'prihodi troškovi mjesec količina županija tromjesečje plaće Šibenik Čakovec Đakovo Križevci Petrović Kovačić dobavljač tržište računi narudžbe proizvođač sudjelovanje',
  },
  lt: {
    encodings: ['windows-1257'],
    words:
      'pajamos pardavimų įmonė mėnuo savaitė kiekis skyrius Šiauliai Panevėžys Kėdainiai Vilnius darbuotojų išlaidos sąskaita ketvirtis Žilvinas Jūratė grąžinimai įplaukos',
  },
  lv: {
    encodings: ['windows-1257'],
    words:
      'ieņēmumi mēnesis daudzums nodaļa Rīga Liepāja Jūrmala Rēzekne darbinieki izmaksas pārdošana ceturksnis Jānis Bērziņš Kalniņš peļņa kopā klienti',
  },
  tr: {
    encodings: ['windows-1254'],
    words:
      'gelir satış mağaza şehir ürün tutarı İstanbul Şişli Eskişehir Diyarbakır müşteri çalışan yıl dönem sayısı bütçe giderler Ayşe Gülşen Yıldız Doğan kâr ödeme toplam',
  },
  ru: {
    encodings: ['windows-1251', 'koi8-r', 'iso-8859-5'],
    words:
      'выручка продажи дата магазин количество сотрудник Москва Казань Самара Иванов Петрова Юля прибыль расходы месяц филиал Екатеринбург показатель значение план факт итого',
  },
  uk: {
    encodings: ['windows-1251'],
    words:
      'виручка продажі дата магазин кількість працівник Київ Львів Запоріжжя Харків Шевченко прибуток витрати місяць філія показник значення план факт Їжакевич',
  },
  bg: {
    encodings: ['windows-1251', 'iso-8859-5'],
    words:
      'приходи продажби дата магазин количество служител София Пловдив Варна Иванов печалба разходи месец клон показател стойност отчет общо България',
  },
  el: {
    encodings: ['windows-1253', 'iso-8859-7'],
    words:
      'έσοδα πωλήσεις κατάστημα ημερομηνία ποσότητα Αθήνα Θεσσαλονίκη Νίκος Ελένη κέρδος έξοδα μήνας τρίμηνο υποκατάστημα πελάτης σύνολο Γιώργος Πάτρα δείκτης',
  },
  he: {
    encodings: ['windows-1255'],
    words: 'הכנסות מכירות תאריך סניף כמות עובד ירושלים חיפה רווח הוצאות חודש רבעון לקוח סכום תקציב',
  },
  ar: {
    encodings: ['windows-1256', 'iso-8859-6'],
    words:
      'الإيرادات المبيعات التاريخ الفرع الكمية الموظف الرياض القاهرة الأرباح المصروفات الشهر العميل المبلغ المجموع جدة',
  },
  th: {
    encodings: ['windows-874'],
    words: 'วันที่ สาขา ยอดขาย รายได้ กรุงเทพ เชียงใหม่ พนักงาน จำนวน กำไร ต้นทุน เดือน ลูกค้า สินค้า รวม ภูเก็ต',
  },
  ja: {
    encodings: ['shift_jis', 'euc-jp'],
    words:
      '日付 店舗 売上高 売上 数量 利益 経費 東京 大阪 名古屋 横浜 山田太郎 佐藤 鈴木 社員番号 部門 目標 実績 お客様 カテゴリー 月間 合計 表示 ソフトウェア 予算 四半期',
  },
  zh: {
    encodings: ['gb18030'],
    words:
      '日期 门店 销售额 数量 利润 费用 北京 上海 广州 深圳 张伟 王芳 员工 部门 目标 实际 客户 产品 月份 合计 收入 成本 预算 季度',
  },
  zhHant: {
    encodings: ['big5'],
    words:
      '日期 門市 銷售額 數量 利潤 費用 台北 高雄 台中 陳志明 林美玲 員工 部門 目標 實際 客戶 產品 月份 合計 收入 成本 預算 季度',
  },
  ko: {
    encodings: ['euc-kr'],
    words:
      '날짜 매장 매출액 수량 이익 비용 서울 부산 대구 김철수 이영희 직원 부서 목표 실적 고객 제품 월별 합계 수입 원가 예산 분기',
  },
}
