import { describe } from 'vitest'
import { checkPages } from './setup/check-pages.ts'

describe('every page, 1280 pixels wide,', () => checkPages('fernway-media', { width: 1280, height: 800 }))
