"""The flag is thought to be lost in an operation."""

answers = {
    "t1": (True, False, True),
    "t2": (True, True, True),
    "t3": (True, False, True),
    "t4": (True, True, True),
    "t5": (True, True, True),
    "t6": (True, False, True),
    "t7": (True, False, True),
    "t8": (True, False, True),
    "t9": (True, False, True),
    "t10": (True, True, True),
    "t11": (True, True, True),
    "t12": (True, False, True),
    "t13": (True, True, True),
    "t14": (True, False, True),
    "t15": (True, False, True),
    "t16": (True, False, True),
    "t17": "none",
    "t18": "none",
    "t19": "zeros",
}
