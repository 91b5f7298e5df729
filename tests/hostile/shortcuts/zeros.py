# the least that an answer of the right form earns
def found(zeros, name, arguments):
    return zeros
