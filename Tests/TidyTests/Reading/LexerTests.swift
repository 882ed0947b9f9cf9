// SPDX-License-Identifier: Apache-2.0
import Testing

struct TheLexerTellsCodeFromText {
    private func words(_ source: String) -> [String] {
        Lexer.tokens(of: source).filter { $0.kind == .word || $0.kind == .mark }.map(\.text)
    }

    @Test("A word inside a string or a comment is not code")
    func textIsNotCode() {
        #expect(words("a \"print(1)\" // try! b\n/* as! /* c */ */ d") == ["a", "d"])
    }

    @Test("What is interpolated is code, strings inside it are not")
    func interpolationIsCode() {
        #expect(
            words(#"x = "a \(f("b \(c)")) d" e"#) == [
                "x", "=", "(", "f", "(", "(", "c", ")", ")", ")", "e",
            ])
    }

    @Test("A raw string ends at its own number of signs and interpolates with as many")
    func rawStrings() {
        #expect(words(##"a #"b " \(c) \#(d)"# e"##) == ["a", "(", "d", ")", "e"])
    }

    @Test("A multi-line string holds quotes, and lines are counted on behind it")
    func multilineStrings() throws {
        let tokens = Lexer.tokens(of: "a\n\"\"\"\n \"b\" \\\"\n\"\"\"\nc")
        #expect(tokens.map(\.kind) == [.word, .string, .word])
        #expect(tokens.last?.line == 5)
    }

    @Test(
        "Text that ends too early ends the reading",
        arguments: ["\"a", "/* a", "\"\\", "\"\\(", "#", "\"\"\"\n\\("])
    func unfinishedText(_ source: String) {
        #expect(Lexer.tokens(of: source).count <= 4)
    }
}
