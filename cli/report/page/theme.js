// Light or dark: as the system says, until the reader chooses. The choice is kept where the browser allows it.
const kThemeKey = 'detops-report-theme';
const systemDark = window.matchMedia('(prefers-color-scheme: dark)');

function storedTheme() {
  try {
    return window.localStorage.getItem(kThemeKey);
  } catch {
    return null;
  }
}

function showTheme(theme) {
  document.documentElement.dataset.theme = theme;
  const other = theme === 'dark' ? 'light' : 'dark';
  byId('theme').textContent = theme === 'dark' ? 'Light' : 'Dark';
  byId('theme').setAttribute('aria-label', `Switch to ${other} colours`);
}

function setUpTheme() {
  const chosen = storedTheme();
  showTheme(chosen === 'dark' || chosen === 'light' ? chosen : systemDark.matches ? 'dark' : 'light');
  systemDark.addEventListener('change', () => {
    if (storedTheme() === null) showTheme(systemDark.matches ? 'dark' : 'light');
  });
  byId('theme').addEventListener('click', () => {
    const theme = document.documentElement.dataset.theme === 'dark' ? 'light' : 'dark';
    showTheme(theme);
    try {
      window.localStorage.setItem(kThemeKey, theme);
    } catch {
      // Then it holds for this visit.
    }
  });
}
