using System;
using System.Collections.Generic;

namespace Text.Parsing
{
    /// <summary>What a token is.</summary>
    public enum TokenKind
    {
        Word,
        Number,
        End,
    }

    public struct Token
    {
        public TokenKind Kind;
        public string Text;

        public Token(TokenKind kind, string text)
        {
            Kind = kind;
            Text = text;
        }

        public override string ToString()
        {
            return Kind + " " + Text;
        }
    }

    public interface ITokenSource
    {
        Token Next();

        void Reset();
    }

    /// <summary>Cuts a text into tokens.</summary>
    public class Lexer : ITokenSource
    {
        private readonly string _text;
        private int _at;

        public Lexer(string text)
        {
            _text = text;
        }

        public Token Next()
        {
            SkipBlanks();
            if (_at >= _text.Length)
            {
                return new Token(TokenKind.End, "");
            }
            return char.IsDigit(_text[_at]) ? Take(char.IsDigit, TokenKind.Number) : Take(char.IsLetter, TokenKind.Word);
        }

        public void Reset()
        {
            _at = 0;
        }

        private void SkipBlanks()
        {
            while (_at < _text.Length && char.IsWhiteSpace(_text[_at]))
            {
                _at++;
            }
        }

        private Token Take(Func<char, bool> fits, TokenKind kind)
        {
            int start = _at;
            while (_at < _text.Length && fits(_text[_at]))
            {
                _at++;
            }
            return new Token(kind, _text.Substring(start, _at - start));
        }
    }

    public static class Tokens
    {
        public static List<Token> All(ITokenSource source)
        {
            var all = new List<Token>();
            for (Token token = source.Next(); token.Kind != TokenKind.End; token = source.Next())
            {
                all.Add(token);
            }
            return all;
        }
    }
}
