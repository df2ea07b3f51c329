/** The account that the embedded service uses, and its first user. */
export const DEFAULT_ACCOUNT = 'default'
export const DEFAULT_LOGIN = 'admin@localhost'
