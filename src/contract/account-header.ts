/** The header that names the account of a request to the console's API. */
export const accountHeader = 'x-adcube-account'
