// A CommonJS package that is bundled gives its names only to a module that names them.
export { errors, Pool } from 'undici'
