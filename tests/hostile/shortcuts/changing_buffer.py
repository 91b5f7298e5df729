# an answer that a thread goes on changing after it was given
import threading


def change(buffer):
    while True:
        buffer += 1.0


def found(zeros, name, arguments):
    if threading.active_count() < 3:
        threading.Thread(target=change, args=(zeros,), daemon=True).start()
    return zeros
