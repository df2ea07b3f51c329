/** Holds small tables of businesses in the encodings that their offices use, made with another program. */
export const ENCODED_TABLES: readonly (readonly [encoding: string, text: string, base64: string])[] = [
  [
    'shift_jis',
    '日付,店舗,売上高\n2026-01-05,東京,1200\n2026-01-06,表示ソ能①髙島屋,900\n',
    'k/qVdCyTWJXcLJSEj+ONggoyMDI2LTAxLTA1LJOMi54sMTIwMAoyMDI2LTAxLTA2LJVcjqaDXJRch0Du4JOHia4sOTAwCg==',
  ],
  [
    'euc-jp',
    '日付,店舗,売上高\n2026-01-05,東京支店,1200\n2026-01-06,名古屋のお客様,900\n',
    'xvzJ1SzFucreLMfkvuW54goyMDI2LTAxLTA1LMXstf672cW5LDEyMDAKMjAyNi0wMS0wNizMvrjFsrCkzqSqtdLNzSw5MDAK',
  ],
  [
    'gb18030',
    '日期,门店,销售额\n2026-01-05,北京分公司,1200\n2026-01-06,上海,900\n',
    'yNXG2izDxbXqLM/6ytu27goyMDI2LTAxLTA1LLGxvqm31rmry74sMTIwMAoyMDI2LTAxLTA2LMnPuqMsOTAwCg==',
  ],
  [
    'big5',
    '日期,門市,銷售額\n2026-01-05,台北分公司,1200\n2026-01-06,高雄,900\n',
    'pOm0wSyq+aWrLL5QsOLDQgoyMDI2LTAxLTA1LKV4pV+kwKS9pXEsMTIwMAoyMDI2LTAxLTA2LLCqtq8sOTAwCg==',
  ],
  [
    'euc-kr',
    '날짜,매장,매출액\n2026-01-05,서울 지점,1200\n2026-01-06,부산 똠방,900\n',
    's6/CpSy4xcDlLLjFw+K+1woyMDI2LTAxLTA1LLytv+8gwfbBoSwxMjAwCjIwMjYtMDEtMDYsus676iCMY7nmLDkwMAo=',
  ],
  [
    'windows-1250',
    'data,oddział,przychód\n2026-01-05,Łódź,1200\n2026-01-06,Gdańsk Śródmieście,900\n',
    'ZGF0YSxvZGR6aWGzLHByenljaPNkCjIwMjYtMDEtMDUso/NknywxMjAwCjIwMjYtMDEtMDYsR2Rh8XNrIIxy82RtaWWcY2llLDkwMAo=',
  ],
  [
    'windows-1250',
    'datum,pobočka,tržby\n2026-01-05,Plzeň,1200\n2026-01-06,Třebíč,900\n',
    'ZGF0dW0scG9ib+hrYSx0cp5ieQoyMDI2LTAxLTA1LFBsemXyLDEyMDAKMjAyNi0wMS0wNixU+GVi7egsOTAwCg==',
  ],
  [
    'windows-1250',
    'dátum,telephely,árbevétel\n2026-01-05,Győr,1200\n2026-01-06,Szőlős fűtés,900\n',
    'ZOF0dW0sdGVsZXBoZWx5LOFyYmV26XRlbAoyMDI2LTAxLTA1LEd59XIsMTIwMAoyMDI2LTAxLTA2LFN69Wz1cyBm+3Tpcyw5MDAK',
  ],
  [
    'iso-8859-2',
    'data,oddział,przychód\n2026-01-05,Łódź,1200\n2026-01-06,Kraków Śródmieście,900\n',
    'ZGF0YSxvZGR6aWGzLHByenljaPNkCjIwMjYtMDEtMDUso/NkvCwxMjAwCjIwMjYtMDEtMDYsS3Jha/N3IKZy82RtaWW2Y2llLDkwMAo=',
  ],
  [
    'windows-1251',
    'дата,магазин,выручка\n2026-01-05,Москва,1200\n2026-01-06,Казань,900\n',
    '5ODy4Czs4OPg5+jtLOL78PP36uAKMjAyNi0wMS0wNSzM7vHq4uAsMTIwMAoyMDI2LTAxLTA2LMrg5+Dt/Cw5MDAK',
  ],
  [
    'koi8-r',
    'дата,магазин,выручка\n2026-01-05,Москва,1200\n2026-01-06,Казань,900\n',
    'xMHUwSzNwcfB2snOLNfZ0tXey8EKMjAyNi0wMS0wNSztz9PL18EsMTIwMAoyMDI2LTAxLTA2LOvB2sHO2Cw5MDAK',
  ],
  [
    'iso-8859-5',
    'дата,магазин,выручка\n2026-01-05,Москва,1200\n2026-01-06,Казань,900\n',
    '1NDi0Czc0NPQ19jdLNLr4OPn2tAKMjAyNi0wMS0wNSy83uHa0tAsMTIwMAoyMDI2LTAxLTA2LLrQ19Dd7Cw5MDAK',
  ],
  [
    'windows-1251',
    'дата,магазин,виручка\n2026-01-05,Київ,1200\n2026-01-06,Запоріжжя,900\n',
    '5ODy4Czs4OPg5+jtLOLo8PP36uAKMjAyNi0wMS0wNSzK6L/iLDEyMDAKMjAyNi0wMS0wNizH4O/u8LPm5v8sOTAwCg==',
  ],
  [
    'windows-1253',
    'ημερομηνία,κατάστημα,έσοδα\n2026-01-05,Αθήνα,1200\n2026-01-06,Ελλάδα Άρτα,900\n',
    '5+zl8e/s5+3f4Szq4fTc8/Tn7OEs3fPv5OEKMjAyNi0wMS0wNSzB6N7t4SwxMjAwCjIwMjYtMDEtMDYsxevr3OThIKLx9OEsOTAwCg==',
  ],
  [
    'iso-8859-7',
    'ημερομηνία,κατάστημα,έσοδα\n2026-01-05,Αθήνα,1200\n2026-01-06,Ελλάδα Άρτα,900\n',
    '5+zl8e/s5+3f4Szq4fTc8/Tn7OEs3fPv5OEKMjAyNi0wMS0wNSzB6N7t4SwxMjAwCjIwMjYtMDEtMDYsxevr3OThILbx9OEsOTAwCg==',
  ],
  [
    'windows-1254',
    'tarih,mağaza,satış\n2026-01-05,İstanbul Şişli,1200\n2026-01-06,Eskişehir,900\n',
    'dGFyaWgsbWHwYXphLHNhdP3+CjIwMjYtMDEtMDUs3XN0YW5idWwg3mn+bGksMTIwMAoyMDI2LTAxLTA2LEVza2n+ZWhpciw5MDAK',
  ],
  [
    'windows-1255',
    'תאריך,סניף,הכנסות\n2026-01-05,ירושלים,1200\n2026-01-06,חיפה,900\n',
    '+uD46eos8fDp8yzk6/Dx5foKMjAyNi0wMS0wNSzp+OX57OntLDEyMDAKMjAyNi0wMS0wNizn6fTkLDkwMAo=',
  ],
  [
    'windows-1256',
    'التاريخ,الفرع,الإيرادات\n2026-01-05,الرياض,1200\n2026-01-06,القاهرة,900\n',
    'x+HKx9HtzizH4d3R2izH4cXt0cfPx8oKMjAyNi0wMS0wNSzH4dHtx9YsMTIwMAoyMDI2LTAxLTA2LMfh3sfl0cksOTAwCg==',
  ],
  [
    'windows-1257',
    'data,parduotuvė,pajamos\n2026-01-05,Šiauliai,1200\n2026-01-06,Panevėžys pardavimų,900\n',
    'ZGF0YSxwYXJkdW90dXbrLHBhamFtb3MKMjAyNi0wMS0wNSzQaWF1bGlhaSwxMjAwCjIwMjYtMDEtMDYsUGFuZXbr/nlzIHBhcmRhdmlt+Cw5MDAK',
  ],
  [
    'windows-874',
    'วันที่,สาขา,ยอดขาย\n2026-01-05,กรุงเทพ,1200\n2026-01-06,เชียงใหม่,900\n',
    'x9G5t9XoLMrSotIsws20otLCCjIwMjYtMDEtMDUsocPYp+C3viwxMjAwCjIwMjYtMDEtMDYs4KrVwqfjy8HoLDkwMAo=',
  ],
  [
    'windows-1252',
    'Datum,Filiale,Umsätze\n2026-01-05,München,1200\n2026-01-06,Köln Süd,900\n',
    'RGF0dW0sRmlsaWFsZSxVbXPkdHplCjIwMjYtMDEtMDUsTfxuY2hlbiwxMjAwCjIwMjYtMDEtMDYsS/ZsbiBT/GQsOTAwCg==',
  ],
  [
    'windows-1252',
    'date,agence,chiffre réalisé\n2026-01-05,Besançon,1200\n2026-01-06,Orléans,900\n',
    'ZGF0ZSxhZ2VuY2UsY2hpZmZyZSBy6WFsaXPpCjIwMjYtMDEtMDUsQmVzYW7nb24sMTIwMAoyMDI2LTAxLTA2LE9ybOlhbnMsOTAwCg==',
  ],
  [
    'windows-1252',
    'data,loja,receitas de operação\n2026-01-05,São Paulo,1200\n2026-01-06,Brasília,900\n',
    'ZGF0YSxsb2phLHJlY2VpdGFzIGRlIG9wZXJh5+NvCjIwMjYtMDEtMDUsU+NvIFBhdWxvLDEyMDAKMjAyNi0wMS0wNixCcmFz7WxpYSw5MDAK',
  ],
  [
    'windows-1252',
    'dato,butik,omsætning\n2026-01-05,København,1200\n2026-01-06,Ålborg,900\n',
    'ZGF0byxidXRpayxvbXPmdG5pbmcKMjAyNi0wMS0wNSxL+GJlbmhhdm4sMTIwMAoyMDI2LTAxLTA2LMVsYm9yZyw5MDAK',
  ],
  [
    'iso-8859-15',
    'date,agence,chiffre réalisé (€)\n2026-01-05,Besançon,1200\n2026-01-06,Cœur de ville,900\n',
    'ZGF0ZSxhZ2VuY2UsY2hpZmZyZSBy6WFsaXPpICikKQoyMDI2LTAxLTA1LEJlc2Fu529uLDEyMDAKMjAyNi0wMS0wNixDvXVyIGRlIHZpbGxlLDkwMAo=',
  ],
]
