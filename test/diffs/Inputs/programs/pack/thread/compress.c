/* pack: compresses records of a sensor with a dictionary of what came before */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHUNK (512 * 1024)
#define CHUNKS 16
#define WINDOW_BITS 19

struct buffer {
    uint8_t *bytes;
    size_t length, capacity;
};

struct job {
    uint8_t *input;
    size_t length;
    struct buffer output;
};

static void buffer_reserve(struct buffer *buffer, size_t more)
{
    if (buffer->length + more <= buffer->capacity)
        return;
    buffer->capacity = buffer->capacity ? 2 * buffer->capacity : 4096;
    buffer->bytes = realloc(buffer->bytes, buffer->capacity);
}

static void buffer_put(struct buffer *buffer, uint8_t byte)
{
    buffer_reserve(buffer, 1);
    buffer->bytes[buffer->length++] = byte;
}

static void read_sensor(struct job *job)
{
    job->length = (size_t)CHUNK * CHUNKS;
    job->input = malloc(job->length);
    uint32_t level = 1000, state = 3;
    for (size_t i = 0; i < job->length; i += 4) {
        state = state * 1103515245 + 12345;
        level += (state >> 16) % 3 - 1;
        memcpy(job->input + i, &level, 4);
    }
}

static uint32_t *make_window(unsigned bits)
{
    uint32_t *window = malloc(sizeof *window << bits);
    memset(window, 0xff, sizeof *window << bits);
    return window;
}

static void compress(const uint8_t *input, size_t length, uint32_t *window, struct buffer *output)
{
    for (size_t i = 0; i + 4 <= length;) {
        uint32_t word;
        memcpy(&word, input + i, 4);
        uint32_t slot = word * 2654435761u >> (32 - WINDOW_BITS), candidate = window[slot];
        window[slot] = (uint32_t)i;
        size_t n = 0;
        if (candidate != UINT32_MAX)
            while (i + n < length && n < 255 && input[candidate + n] == input[i + n])
                n++;
        if (n >= 4) {
            buffer_put(output, (uint8_t)n);
            i += n;
        } else {
            buffer_put(output, 0);
            buffer_put(output, input[i++]);
        }
    }
}

/* reads and compresses in a thread of its own */
static void *work(void *argument)
{
    struct job *job = argument;
    read_sensor(job);
    uint32_t *window = make_window(WINDOW_BITS);
    compress(job->input, job->length, window, &job->output);
    free(window);
    return NULL;
}

static uint32_t checksum(const struct buffer *buffer)
{
    uint32_t sum = 0;
    for (size_t i = 0; i < buffer->length; i++)
        sum = (sum << 1 | sum >> 31) ^ buffer->bytes[i];
    return sum;
}

int main(void)
{
    struct job job = {0};
    pthread_t worker;
    pthread_create(&worker, NULL, work, &job);
    pthread_join(worker, NULL);

    printf("%zu -> %zu, %08x\n", job.length, job.output.length, checksum(&job.output));
    free(job.output.bytes);
    free(job.input);
    return 0;
}
