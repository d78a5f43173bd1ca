/* particles: moves particles in a box and counts where they are */
#include <stdio.h>
#include <stdlib.h>

#define NEW_ARRAY(type, count) ((type *)calloc((count), sizeof(type)))

struct box {
    size_t count, cells;
    float *position, *speed;
    unsigned *visits;
};

static struct box *make_box(size_t count, size_t cells)
{
    struct box *box = NEW_ARRAY(struct box, 1);
    box->count = count;
    box->cells = cells;
    box->position = NEW_ARRAY(float, count);
    box->speed = NEW_ARRAY(float, count);
    box->visits = NEW_ARRAY(unsigned, cells);
    for (size_t i = 0; i < count; i++)
        box->speed[i] = (float)(i % 17) / 100;
    return box;
}

static void step(struct box *box)
{
    for (size_t i = 0; i < box->count; i++) {
        box->position[i] += box->speed[i];
        if (box->position[i] >= 1)
            box->position[i] -= 1;
        box->visits[(size_t)(box->position[i] * (float)box->cells)]++;
    }
}

static unsigned *cumulate(const struct box *box)
{
    unsigned *sums = NEW_ARRAY(unsigned, box->cells);
    for (size_t i = 1; i < box->cells; i++)
        sums[i] = sums[i - 1] + box->visits[i];
    return sums;
}

int main(void)
{
    struct box *box = make_box(400000, 500000);
    for (int i = 0; i < 10; i++)
        step(box);
    unsigned *sums = cumulate(box);
    printf("%u\n", sums[box->cells - 1]);
    free(sums);
    free(box->visits);
    free(box->speed);
    free(box->position);
    free(box);
}
