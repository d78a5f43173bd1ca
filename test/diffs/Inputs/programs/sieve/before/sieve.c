/* sieve: counts primes and twins in a range, and the gaps between them */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define LIMIT 12000000u

struct result {
    uint32_t primes, twins, largest_gap;
};

static uint8_t *make_sieve(uint32_t limit)
{
    uint8_t *sieve = malloc(limit / 2);
    memset(sieve, 1, limit / 2);
    sieve[0] = 0;
    for (uint32_t i = 3; i * i < limit; i += 2)
        if (sieve[i / 2])
            for (uint32_t k = i * i; k < limit; k += 2 * i)
                sieve[k / 2] = 0;
    return sieve;
}

static uint32_t *list_primes(const uint8_t *sieve, uint32_t limit, uint32_t *count)
{
    uint32_t capacity = 1024, n = 0;
    uint32_t *primes = malloc(capacity * sizeof *primes);
    for (uint32_t i = 1; i < limit / 2; i++) {
        if (!sieve[i])
            continue;
        if (n == capacity) {
            capacity *= 2;
            primes = realloc(primes, capacity * sizeof *primes);
        }
        primes[n++] = 2 * i + 1;
    }
    *count = n;
    return primes;
}

static uint32_t *gap_histogram(const uint32_t *primes, uint32_t count)
{
    uint32_t *gaps = calloc(1024, sizeof *gaps);
    for (uint32_t i = 1; i < count; i++)
        gaps[primes[i] - primes[i - 1]]++;
    return gaps;
}

static struct result study(uint32_t limit)
{
    struct result result = {0};
    uint8_t *sieve = make_sieve(limit);
    uint32_t *primes = list_primes(sieve, limit, &result.primes);
    uint32_t *gaps = gap_histogram(primes, result.primes);
    result.twins = gaps[2];
    for (uint32_t i = 0; i < 1024; i++)
        if (gaps[i])
            result.largest_gap = i;
    free(gaps);
    free(primes);
    free(sieve);
    return result;
}

int main(void)
{
    struct result result = study(LIMIT);
    printf("%u primes, %u twins, largest gap %u\n", result.primes, result.twins, result.largest_gap);
    return 0;
}
