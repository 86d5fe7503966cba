/** NetVM as a {@link dev.weft.service.Service}. It is in this module because the HCAs implement NetVM, and their module cannot depend on this one. */
package dev.weft.service.netvm;
