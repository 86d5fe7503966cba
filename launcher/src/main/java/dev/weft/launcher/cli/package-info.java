/** What the launcher's commands share, below all of them. */
package dev.weft.launcher.cli;
