/** What commands show on a terminal: tables, progress, and looks that are repeated. */
package dev.weft.service.terminal;
