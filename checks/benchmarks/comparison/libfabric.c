// RMA Writes, RMA Reads or messages of libfabric's tcp provider between two processes, as its fabtests do them, which
// Debian does not have. cc -O2 -o libfabric libfabric.c -lfabric
//   libfabric server PORT write|read|send SIZE
//   libfabric client PORT write|read|send SIZE WARM-UP-SECONDS SECONDS      prints JSON
#include <rdma/fabric.h>
#include <rdma/fi_cm.h>
#include <rdma/fi_domain.h>
#include <rdma/fi_endpoint.h>
#include <rdma/fi_errno.h>
#include <rdma/fi_rma.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

// What fabtests keep in flight.
enum { DEPTH = 64, BATCH = 16, REQUESTED_KEY = 1 };

// The server's memory, which it sends in the private data of its Accept.
struct target {
    uint64_t address, key;
};

static struct fid_fabric *fabric;
static struct fid_domain *domain;
static struct fid_eq *events;
static struct fid_cq *completions;
static struct fid_ep *endpoint;
static struct fid_mr *region;
static char *memory;
static size_t size;
static char kind;

static void require(long result, const char *what) {
    if (result < 0) {
        fprintf(stderr, "libfabric: %s: %s\n", what, fi_strerror((int) -result));
        exit(1);
    }
}

static struct fi_info *find(const char *port, uint64_t flags) {
    struct fi_info *hints = fi_allocinfo(), *found;
    hints->caps = FI_MSG | FI_RMA;
    hints->ep_attr->type = FI_EP_MSG;
    hints->domain_attr->mr_mode = FI_MR_LOCAL | FI_MR_VIRT_ADDR | FI_MR_ALLOCATED | FI_MR_PROV_KEY;
    hints->fabric_attr->prov_name = strdup("tcp");
    require(fi_getinfo(FI_VERSION(1, 17), "127.0.0.1", port, flags, hints, &found), "fi_getinfo");
    return found;
}

static void open_fabric(struct fi_info *info) {
    struct fi_eq_attr attributes = {.wait_obj = FI_WAIT_UNSPEC};
    require(fi_fabric(info->fabric_attr, &fabric, NULL), "fi_fabric");
    require(fi_eq_open(fabric, &attributes, &events, NULL), "fi_eq_open");
}

static void open_endpoint(struct fi_info *info) {
    struct fi_cq_attr attributes = {.size = 4 * DEPTH, .format = FI_CQ_FORMAT_CONTEXT};
    require(fi_domain(fabric, info, &domain, NULL), "fi_domain");
    require(fi_cq_open(domain, &attributes, &completions, NULL), "fi_cq_open");
    require(fi_endpoint(domain, info, &endpoint, NULL), "fi_endpoint");
    require(fi_ep_bind(endpoint, &events->fid, 0), "fi_ep_bind");
    require(fi_ep_bind(endpoint, &completions->fid, FI_SEND | FI_RECV), "fi_ep_bind");
    require(fi_enable(endpoint), "fi_enable");
    memory = calloc(1, size);
    require(fi_mr_reg(domain, memory, size, FI_SEND | FI_RECV | FI_READ | FI_WRITE | FI_REMOTE_READ | FI_REMOTE_WRITE, 0,
                      REQUESTED_KEY, 0, &region, NULL), "fi_mr_reg");
}

static void await(uint32_t expected, struct fi_eq_cm_entry *entry, size_t length) {
    uint32_t event;
    require(fi_eq_sread(events, &event, entry, length, -1, 0), "fi_eq_sread");
    if (event != expected) {
        fprintf(stderr, "libfabric: event %u instead of %u\n", event, expected);
        exit(1);
    }
}

static int reap(void) {
    struct fi_cq_entry done[BATCH];
    ssize_t count = fi_cq_read(completions, done, BATCH);
    if (count != -FI_EAGAIN) {
        require(count, "fi_cq_read");
    }
    return count < 0 ? 0 : (int) count;
}

// Posts again until the provider has room.
static void receive(void) {
    ssize_t result;
    while ((result = fi_recv(endpoint, memory, size, fi_mr_desc(region), 0, NULL)) == -FI_EAGAIN) {
        reap();
    }
    require(result, "fi_recv");
}

static int post(const struct target *target) {
    ssize_t result;
    switch (kind) {
    case 'w':
        result = fi_write(endpoint, memory, size, fi_mr_desc(region), 0, target->address, target->key, NULL);
        break;
    case 'r':
        result = fi_read(endpoint, memory, size, fi_mr_desc(region), 0, target->address, target->key, NULL);
        break;
    default:
        result = fi_send(endpoint, memory, size, fi_mr_desc(region), 0, NULL);
    }
    if (result != -FI_EAGAIN) {
        require(result, "post");
    }
    return result == 0;
}

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec + time.tv_nsec / 1e9;
}

static long stream(const struct target *target, double seconds) {
    double end = now() + seconds;
    long done = 0;
    int flying = 0;
    while (now() < end) {
        while (flying < DEPTH && post(target)) {
            flying++;
        }
        int count = reap();
        flying -= count;
        done += count;
    }
    while (flying > 0) {
        flying -= reap();
    }
    return done;
}

static int serve(const char *port) {
    struct fi_info *info = find(port, FI_SOURCE);
    struct fid_pep *listener;
    struct fi_eq_cm_entry entry;
    open_fabric(info);
    require(fi_passive_ep(fabric, info, &listener, NULL), "fi_passive_ep");
    require(fi_pep_bind(listener, &events->fid, 0), "fi_pep_bind");
    require(fi_listen(listener), "fi_listen");
    await(FI_CONNREQ, &entry, sizeof entry);
    open_endpoint(entry.info);
    for (int i = 0; kind == 's' && i < 2 * DEPTH; i++) {
        receive();
    }
    struct target own = {.address = info->domain_attr->mr_mode & FI_MR_VIRT_ADDR ? (uintptr_t) memory : 0,
                         .key = fi_mr_key(region)};
    require(fi_accept(endpoint, &own, sizeof own), "fi_accept");
    await(FI_CONNECTED, &entry, sizeof entry);
    uint32_t event;
    for (long turn = 1;; turn++) {
        struct fi_cq_entry done[BATCH];
        ssize_t count = fi_cq_read(completions, done, BATCH);
        for (ssize_t i = 0; i < count; i++) {
            receive();
        }
        // An error of a receive is the client's end.
        if ((count < 0 && count != -FI_EAGAIN)
                || (turn % 1024 == 0 && fi_eq_read(events, &event, &entry, sizeof entry, 0) > 0)) {
            return 0;
        }
    }
}

static int measure(const char *port, double warm_up, double seconds) {
    struct fi_info *info = find(port, 0);
    char buffer[sizeof(struct fi_eq_cm_entry) + sizeof(struct target)];
    struct fi_eq_cm_entry *entry = (struct fi_eq_cm_entry *) buffer;
    struct target target;
    open_fabric(info);
    open_endpoint(info);
    require(fi_connect(endpoint, info->dest_addr, NULL, 0), "fi_connect");
    await(FI_CONNECTED, entry, sizeof buffer);
    memcpy(&target, entry->data, sizeof target);
    stream(&target, warm_up);
    double begin = now();
    long done = stream(&target, seconds);
    double rate = done / (now() - begin);
    printf("{\"operationsPerSecond\":%.1f,\"bytesPerSecond\":%.1f}\n", rate, rate * size);
    fi_shutdown(endpoint, 0);
    return 0;
}

int main(int count, char **words) {
    if ((count != 5 && count != 7) || !strchr("wrs", words[3][0])) {
        fprintf(stderr, "see the head of libfabric.c\n");
        return 2;
    }
    kind = words[3][0];
    size = strtoul(words[4], NULL, 10);
    return count == 5 ? serve(words[2]) : measure(words[2], atof(words[5]), atof(words[6]));
}
