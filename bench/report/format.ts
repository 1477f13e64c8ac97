const WHOLE = new Intl.NumberFormat('en-US', { maximumFractionDigits: 0 });
const THREE_DIGITS = new Intl.NumberFormat('en-US', { maximumSignificantDigits: 3 });

/** Three digits, and more where they stand before the point: 1,234 and 12.3 and 0.0123. */
export function formatFigure(figure: number): string {
  return (Math.abs(figure) >= 100 ? WHOLE : THREE_DIGITS).format(figure);
}

/** As `1.3 ×`. */
export function formatRatio(ratio: number): string {
  return `${formatFigure(ratio)} ×`;
}

/** As `8 %`. */
export function formatShare(share: number): string {
  return `${formatFigure(Math.round(share * 1000) / 10)} %`;
}
