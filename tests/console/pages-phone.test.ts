import { describe } from 'vitest'
import { checkPages } from './setup/check-pages.ts'

describe('every page, 390 pixels wide,', () => checkPages('tin-kite', { width: 390, height: 844 }))
