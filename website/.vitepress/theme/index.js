import Theme from 'vitepress/theme-without-fonts'
import './style.css'

// VitePress asks for a default export.
export default Theme
