import { gzipSync, zstdCompressSync } from 'node:zlib'
import type { HostileFile } from './hostile-file.ts'
import { gzipParts, type Parts, zipMembers } from './packed.ts'

const MEGABYTE = Buffer.alloc(1_000_000)
const gzipOfZeros = (megabytes: number): Buffer => gzipParts([[MEGABYTE, megabytes]])

const archive = (name: string, file: string, make: () => Buffer): HostileFile => ({
  name: `archive: ${name}`,
  file,
  make,
})
const CSV = 'user,kpi,date,actual\nadmin@localhost,Sales,2026-01-05,7\n'
const ZEROS = zstdCompressSync(Buffer.alloc(100_000_000))
const nested = (make: (inner: Buffer) => Buffer, depth: number, inner: Buffer): Buffer =>
  Array.from({ length: depth }).reduce<Buffer>((content) => make(content), inner)

export const ARCHIVES: readonly HostileFile[] = [
  archive('3.9 GB of zeros in a gzip in a gzip', 'data.csv.gz', () => gzipSync(Buffer.from(gzipOfZeros(3900)))),
  archive('3.9 GB of zeros in a gzip in a gzip in a gzip', 'data.csv.gz', () =>
    gzipSync(gzipSync(Buffer.from(gzipOfZeros(3900)))),
  ),
  archive('3 GB of zeros in a zip', 'data.zip', () =>
    zipMembers([{ path: 'a.csv', parts: [[Buffer.alloc(1_000_000), 3000]] }]),
  ),
  archive('1.6 GB of zeros in a zip of 400 times its size', 'data.zip', () =>
    zipMembers([{ path: 'a.csv', parts: [[Buffer.alloc(10_000), 160_000]] }]),
  ),
  archive('3 GB of zeros in a zip in a gzip', 'data.csv.gz', () =>
    gzipSync(zipMembers([{ path: 'a.csv', parts: [[Buffer.alloc(10_000), 200_000]] }])),
  ),
  archive('an archive of 3 GB in a gzip', 'data.gz', () =>
    gzipSync(
      gzipParts([
        ['PK\x03\x04', 1],
        [MEGABYTE, 3000],
      ]),
    ),
  ),
  archive('archives ten deep', 'data.zip', () =>
    nested((content) => zipMembers([{ path: 'a.zip', parts: [[content, 1]] }]), 10, Buffer.from(CSV)),
  ),
  archive('gzips a hundred deep', 'data.gz', () => nested((content) => gzipSync(content), 100, Buffer.from(CSV))),
  archive('an archive of itself', 'data.zip', () => zipMembers([{ path: 'data.zip', parts: [['PK\x03\x04', 1]] }])),
  archive('40,000 members', 'data.zip', () =>
    zipMembers(Array.from({ length: 40_000 }, (_, at) => ({ path: `${at}.csv`, parts: [['a', 1]] }))),
  ),
  archive('40,000 members that are said to be one', 'data.zip', () =>
    zipMembers(
      Array.from({ length: 40_000 }, (_, at) => ({ path: `${at}.csv`, parts: [['a', 1]] })),
      { count: 1 },
    ),
  ),
  archive('9,999 members of one place', 'data.xlsx', () =>
    zipMembers([
      ...Array.from({ length: 9998 }, (_, at) => ({
        path: `xl/${at}.xml`,
        parts: [['a', 1]] as Parts,
        flaws: { place: 0 },
      })),
      { path: '[Content_Types].xml', parts: [['<a/>', 1]] },
    ]),
  ),
  archive('65,535 members that are not there', 'data.zip', () =>
    zipMembers([{ path: 'a.csv', parts: [[CSV, 1]] }], { count: 65_535 }),
  ),
  archive('a directory within itself', 'data.zip', () =>
    zipMembers([{ path: 'a.csv', parts: [[CSV, 1]] }], { directoryAt: 0 }),
  ),
  archive('a member of 10 bytes that unpacks to 3 GB', 'data.zip', () =>
    zipMembers([{ path: 'a.csv', parts: [[Buffer.alloc(1_000_000), 3000]], flaws: { size: 10 } }]),
  ),
  archive('a member of 4 GB that unpacks to nothing', 'data.zip', () =>
    zipMembers([{ path: 'a.csv', parts: [['', 1]], flaws: { size: 0xfffffffe } }]),
  ),
  archive('zip64 sizes of 16 EB', 'data.zip', () =>
    zipMembers([
      {
        path: 'a.csv',
        parts: [[CSV, 1]],
        flaws: {
          size: 0xffffffff,
          packedSize: 0xffffffff,
          extra: Buffer.concat([Buffer.from([1, 0, 16, 0]), Buffer.alloc(16, 0xff)]),
        },
      },
    ]),
  ),
  archive('an extra field of 65,000 bytes in 70 members', 'data.zip', () =>
    zipMembers(
      Array.from({ length: 70 }, (_, at) => ({
        path: `${at}.csv`,
        parts: [['a', 1]] as Parts,
        flaws: { extra: Buffer.alloc(65_000) },
      })),
    ),
  ),
  archive('a comment with beginnings of ends', 'data.zip', () =>
    zipMembers([{ path: 'a.csv', parts: [[CSV, 1]] }], { comment: Buffer.from('PK\x05\x06'.repeat(16_000)) }),
  ),
  archive('a stored member that is a deflated one', 'data.zip', () =>
    zipMembers([{ path: 'a.csv', parts: [[CSV, 1]], flaws: { method: 0 } }]),
  ),
  archive('200,000 empty gzips', 'data.gz', () => Buffer.alloc(4_000_000, gzipSync(''))),
  archive('200,000 empty frames of zstd', 'data.zst', () =>
    Buffer.concat([zstdCompressSync(CSV), Buffer.alloc(1_800_000, zstdCompressSync(''))]),
  ),
  archive('3 GB in a zstd', 'data.zst', () => Buffer.concat(Array.from({ length: 30 }, () => ZEROS))),
  archive('a skippable frame of 4 GB in a zstd', 'data.zst', () =>
    Buffer.concat([zstdCompressSync(CSV), Buffer.from('502a4d18ffffffff', 'hex')]),
  ),
  archive('a zstd window of 3 TB', 'data.zst', () => Buffer.from('28b52ffd00f80100006161', 'hex')),
]
