// SPDX-License-Identifier: MIT
// Loads the templates of arenas on demand, and checks them against the pool of ports.
#include "config_keys.h"
#include "config_loader.h"

#include <stdlib.h>
#include <string.h>

// Reports a name that an earlier template has.
static void check_name(const struct config *config, reader_node group, int index)
{
    const char *name = config->templates[index].name;
    for (int i = 0; i < index; i++) {
        if (name[0] == '\0' || strcmp(config->templates[i].name, name) != 0)
            continue;
        reader_value_error(reader_member(group, "name"), "another name than that of templates[%d]",
                           i);
        return;
    }
}

void config_load_templates(reader_node list, void *into, void *context)
{
    struct config *config = into;
    struct config_loader *loader = context;
    const int count = reader_count(list);
    if (count > CONFIG_MAX_TEMPLATES) {
        reader_value_error(list, "at most %d templates", CONFIG_MAX_TEMPLATES);
        return;
    }
    config->templates = calloc((size_t)count + 1, sizeof *config->templates);
    if (config->templates == NULL) {
        diagnostics_no_memory(loader->diagnostics);
        return;
    }
    config->template_count = count;
    for (int i = 0; i < count; i++) {
        const reader_node group = reader_item(list, i);
        if (reader_is_group(group))
            config_load_arena(&config->templates[i], group, true, loader);
        else
            reader_value_error(group, "a group { name = ...; map = ...; }");
        check_name(config, group, i);
    }
}

void config_check_pool(const struct config *config, reader_node root)
{
    const struct config_ports *ports = &config->ports;
    const reader_node arenas = reader_find(root, "arenas");
    if (config->template_count > 0 && config_port_count(ports) == 0)
        reader_error(reader_find(reader_find(root, "on_demand"), "templates"),
                     "got templates without ports, want both");
    for (int i = 0; i < config->arena_count && ports->first > 0; i++) {
        const uint16_t port = config->arenas[i].port;
        if (port >= ports->first && port <= ports->last)
            reader_error(reader_member(reader_item(arenas, i), "port"),
                         "got %u, want a port outside of on_demand.ports, \"%u-%u\"", port,
                         ports->first, ports->last);
    }
}
