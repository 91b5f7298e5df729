"""Every method returns a new tensor that is not a leaf."""

answers = {
    "t1": (True, False, True),
    "t2": (True, True, True),
    "t3": (False, True, False),
    "t4": (False, True, False),
    "t5": (True, True, True),
    "t6": (False, True, False),
    "t7": (False, False, False),
    "t8": (True, False, True),
    "t9": (True, False, True),
    "t10": (False, True, False),
    "t11": (False, True, False),
    "t12": (False, True, False),
    "t13": (True, True, True),
    "t14": (True, False, True),
    "t15": (False, True, False),
    "t16": (False, False, False),
    "t17": "none",
    "t18": "none",
    "t19": "zeros",
}
