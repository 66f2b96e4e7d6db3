/** Saves cookies and returns redirects, as a browser does while a person signs in. */
export class Browser {
  private readonly cookies = new Map<string, string>();

  async go(url: string, form?: Readonly<Record<string, string>>): Promise<Response> {
    const response = await fetch(url, {
      method: form ? 'POST' : 'GET',
      body: form && new URLSearchParams(form),
      headers: { Cookie: [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ') },
      redirect: 'manual',
    });
    for (const cookie of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(cookie) ?? [];
      this.cookies.set(name, value);
    }
    return response;
  }

  /** Follows redirects until one starts with `end`, and returns its URL. */
  async follow(url: string, end: string, form?: Readonly<Record<string, string>>): Promise<URL> {
    let response = await this.go(url, form);
    let at = url;
    for (let step = 0; step < 10; step++) {
      const location = response.headers.get('location');
      if (location === null) return new URL(at);
      at = new URL(location, at).href;
      if (at.startsWith(end)) return new URL(at);
      response = await this.go(at);
    }
    throw new Error(`too many redirects from ${url}`);
  }
}
