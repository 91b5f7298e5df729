"""A leaf is a tensor that requires grad."""

answers = {
    "t1": (False, False, True),
    "t2": (True, True, True),
    "t3": (False, True, False),
    "t4": (True, True, True),
    "t5": (True, True, True),
    "t6": (False, True, False),
    "t7": (False, False, True),
    "t8": (False, False, True),
    "t9": (False, False, True),
    "t10": (True, True, True),
    "t11": (True, True, True),
    "t12": (False, True, False),
    "t13": (True, True, True),
    "t14": (False, False, True),
    "t15": (False, True, False),
    "t16": (False, False, True),
    "t17": "none",
    "t18": "none",
    "t19": "zeros",
}
