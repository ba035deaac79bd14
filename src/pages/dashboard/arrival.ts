import { useEffect, useRef } from 'preact/hooks'
import { route } from './route.js'

/** After a step to another place: its top is in view, and the focus, where what had it is gone, is on the page. */
export function useArrival(): void {
  const { page, rest } = route.value
  const isFirst = useRef(true)
  useEffect(() => {
    if (isFirst.current) {
      isFirst.current = false
      return
    }
    // Beside the list an exchange is in view already.
    if (page !== 'requests' || matchMedia('(width < 64rem)').matches) scrollTo(0, 0)
    // The browser takes the focus from what is not there any more after it has drawn the page.
    requestAnimationFrame(() =>
      requestAnimationFrame(() => {
        if (document.activeElement === document.body) document.getElementById('main')?.focus({ preventScroll: true })
      })
    )
  }, [page, rest.join('/')])
}
