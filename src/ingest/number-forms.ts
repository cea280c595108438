/** The numbers that files may hold, for the one who checks them and for the one who reads about them. */
export const countMax = 10_000_000_000_000_000n
export const amountMax = 1_000_000_000_000n
const amountPlaces = 6

/** A whole number that went through a floating one has zeros behind the point. */
export const countPattern = '[0-9]+(\\.0+)?'
export const amountPattern = '-?[0-9]+(\\.[0-9]+)?([eE][+-]?[0-9]{1,3})?'

export const describeCount = `whole number, digits only, 0 to ${countMax.toLocaleString('en-US')}`
export const describeAmount = `amount such as 12.5, -0.25 or 1e-3, less than ${amountMax.toLocaleString('en-US')} either side of 0, rounded to ${amountPlaces} decimals`
