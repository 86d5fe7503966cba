/** NetVM as a {@link dev.weft.service.Service}. It stands here because HCAs carry it, and those lie below the seam. */
package dev.weft.service.netvm;
