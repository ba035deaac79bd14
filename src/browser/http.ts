export { statusTexts as STATUS_CODES } from 'package-files'
