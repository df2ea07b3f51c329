/** The namespace of all elements of the classic interface (decisions, section 9). */
export const NAMESPACE = 'http://schemas.datacontract.org/2004/07/SimpleKPI.Application.Areas.Api.Models'

/** The namespace of the attribute `nil`, which says that an element is null. */
export const XSI = 'http://www.w3.org/2001/XMLSchema-instance'
