/**
 * The interface between Weft's command line and its services. A jar adds a service by implementing {@link dev.weft.service.Service}: begin there.
 * The package also has what all commands share, such as exit codes, one-line errors and sizes.
 */
package dev.weft.service;
