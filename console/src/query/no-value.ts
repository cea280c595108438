/** How a missing value of a dimension is shown. */
export const noValue = '(none)'
