"""The call is thought to come too late."""

answers = {
    "t1": (True, False, True),
    "t2": (True, True, True),
    "t3": (False, True, False),
    "t4": (True, False, True),
    "t5": (True, True, True),
    "t6": (False, True, False),
    "t7": (True, False, True),
    "t8": (True, False, True),
    "t9": (True, False, True),
    "t10": (True, False, True),
    "t11": (True, True, True),
    "t12": (False, True, False),
    "t13": (True, True, True),
    "t14": (True, False, True),
    "t15": (False, True, False),
    "t16": (True, False, True),
    "t17": "none",
    "t18": "none",
    "t19": "zeros",
}
