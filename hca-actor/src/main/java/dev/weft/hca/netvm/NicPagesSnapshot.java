package dev.weft.hca.netvm;

/**
 * The NetVM part of an HCA at one moment, for inspection.
 *
 * @param faults absent pages that transfers met; one page is asked for once
 * @param pending pages that were asked for and are not there yet
 */
public record NicPagesSnapshot(long faults, int pending, RedirectSnapshot redirect, VmSnapshot memory) {}
