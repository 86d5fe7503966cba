/** Terminal output of commands: {@link dev.weft.service.terminal.TextTable tables}, progress bars and repeated output. */
package dev.weft.service.terminal;
