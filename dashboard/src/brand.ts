/**
 * The colour of the page: that of its mark, in place of Cloudscape's blue. Every pair of text and
 * background has the contrast that WCAG AA asks for; the tests of all pages check it.
 */
import { generateThemeStylesheet, type Theme } from '@cloudscape-design/components/theming';

const ACCENT = { light: '#0b6e99', dark: '#5cc3ea' };
const STRONGER = { light: '#07506f', dark: '#8fd8f4' };
const ON_ACCENT = { light: '#ffffff', dark: '#0b1c26' };
const TINT = { light: '#eef7fb', dark: '#0f2a38' };

const THEME: Theme = {
  tokens: {
    colorBackgroundButtonPrimaryDefault: ACCENT,
    colorBackgroundButtonPrimaryHover: STRONGER,
    colorBackgroundButtonPrimaryActive: STRONGER,
    colorBorderButtonPrimaryDefault: ACCENT,
    colorBorderButtonPrimaryHover: STRONGER,
    colorBorderButtonPrimaryActive: STRONGER,
    colorTextButtonPrimaryDefault: ON_ACCENT,
    colorTextButtonPrimaryHover: ON_ACCENT,
    colorTextButtonPrimaryActive: ON_ACCENT,
    colorBackgroundButtonNormalHover: TINT,
    colorBackgroundButtonNormalActive: TINT,
    colorBorderButtonNormalDefault: ACCENT,
    colorBorderButtonNormalHover: STRONGER,
    colorBorderButtonNormalActive: STRONGER,
    colorTextButtonNormalDefault: ACCENT,
    colorTextButtonNormalHover: STRONGER,
    colorTextButtonNormalActive: STRONGER,
    colorBackgroundToggleButtonNormalHover: TINT,
    colorBackgroundToggleButtonNormalPressed: TINT,
    colorBorderToggleButtonNormalPressed: ACCENT,
    colorTextToggleButtonNormalPressed: ACCENT,
    colorTextLinkButtonNormalDefault: ACCENT,
    colorTextLinkButtonNormalHover: STRONGER,
    colorTextLinkButtonNormalActive: STRONGER,
    colorTextLinkDefault: ACCENT,
    colorTextLinkHover: STRONGER,
    colorTextLinkDecorationDefault: ACCENT,
    colorTextLinkDecorationHover: STRONGER,
    colorTextAccent: ACCENT,
    colorBackgroundControlChecked: ACCENT,
    colorBackgroundItemSelected: TINT,
    colorBorderItemSelected: ACCENT,
    colorBorderItemFocused: ACCENT,
    colorItemSelected: ACCENT,
    colorBackgroundSegmentActive: ACCENT,
    colorBorderSegmentActive: ACCENT,
    colorTextSegmentActive: ON_ACCENT,
    colorTextSegmentHover: STRONGER,
    colorBackgroundSliderHandleDefault: ACCENT,
    colorBackgroundSliderHandleActive: STRONGER,
    colorBackgroundSliderRangeDefault: ACCENT,
    colorBackgroundSliderRangeActive: STRONGER,
  },
};

/** Returns the style sheet. The build computes it, because that would slow down every page load. */
export const brandStyles = (): string => generateThemeStylesheet({ theme: THEME });
