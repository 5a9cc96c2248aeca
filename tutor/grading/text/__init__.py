"""The rubric engine: what an answer in a learner's own words says, by rules over concepts, without a network.

The way of an answer: `screening` refuses what is no answer, `words` cuts it into tokens, `lexicon` finds the glossary's
concepts, `facts` attributes them to topics and works out what is denied, `patterns` looks for what a question asks for,
`rubric` puts it together. docs/grading.md explains the rules to an author.
"""
