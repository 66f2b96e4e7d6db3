throw new SyntaxError('cannot be loaded');
