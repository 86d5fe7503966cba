/**
 * The seam between Weft's command line and its services: what a service brings is a {@link dev.weft.service.Service}, and nobody above knows
 * one by name. Commands share their manners here: exit codes, errors of one line, sizes.
 */
package dev.weft.service;
