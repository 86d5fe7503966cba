package dev.weft.hca.netvm;

/**
 * A snapshot of the NetVM part of an HCA, for inspection.
 *
 * @param faults number of absent pages that transfers needed; each page is requested only once at a time
 * @param pending number of requested pages that are not present yet
 */
public record NicPagesSnapshot(long faults, int pending, RedirectSnapshot redirect, VmSnapshot memory) {}
