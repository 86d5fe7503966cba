/** {@code weft dsm}: nodes for programs of this user, and which arrays of a running fabric suffer. */
package dev.weft.dsm.command;
