export const viewsKey = ['views']
