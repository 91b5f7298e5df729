"""Split recursively into halves until a micro-batch is small enough. Each is weighted by its share of the rows."""


def accumulate_grads(mean_loss, X, Y, size):
    def part(rows_x, rows_y, share):
        n = len(rows_x)
        if n <= size:
            loss = share * mean_loss(rows_x, rows_y)
            loss.backward()
            return loss.item()
        half = n // 2
        first = part(rows_x[:half], rows_y[:half], share * half / n)
        return first + part(rows_x[half:], rows_y[half:], share * (n - half) / n)

    return part(X, Y, 1.0)
