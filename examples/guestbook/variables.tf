variable "name" {
  description = "Name of the instance."
  type        = string
  default     = "guestbook"
  nullable    = false

  validation {
    condition     = length(trimspace(var.name)) > 0
    error_message = "The name must not be empty."
  }
}

variable "plan" {
  description = "Plan of the instance. The data source hosting_plans lists the plans. A paid plan is created once its checkout is finished."
  type        = string
  nullable    = false

  validation {
    condition     = length(var.plan) > 0
    error_message = "The plan must not be empty."
  }
}

variable "region" {
  description = "Region of the instance. The data source hosting_locations lists the regions. Another region means another instance, without the data."
  type        = string
  nullable    = false

  validation {
    condition     = length(var.region) > 0
    error_message = "The region must not be empty."
  }
}

variable "tags" {
  description = "Tags of the instance."
  type        = set(string)
  default     = ["guestbook"]
  nullable    = false
}

variable "repo" {
  description = "Repository of the app, as owner/repo. The code-hosting integration of the account must be able to see it."
  type        = string
  nullable    = false

  validation {
    condition     = can(regex("^[^/[:space:]]+/[^/[:space:]]+$", var.repo))
    error_message = "The repository must be given as owner/repo."
  }
}

variable "branch" {
  description = "Branch that is built and deployed."
  type        = string
  default     = "main"
  nullable    = false

  validation {
    condition     = can(regex("^[^[:space:]]+$", var.branch))
    error_message = "The branch must be a name without spaces."
  }
}

variable "allowed_cidrs" {
  description = "Addresses that may connect to the instance's ports, as CIDR blocks or bare addresses. The default lets nobody in from outside; the app on the instance does not need it. An empty set opens the ports to the internet."
  type        = set(string)
  default     = ["127.0.0.1/32"]
  nullable    = false

  validation {
    condition = alltrue([
      for cidr in var.allowed_cidrs :
      can(cidrhost(strcontains(cidr, "/") ? cidr : strcontains(cidr, ":") ? "${cidr}/128" : "${cidr}/32", 0))
    ])
    error_message = "Each entry must be a CIDR block such as 203.0.113.0/24 or an address such as 203.0.113.7."
  }
}

variable "webhook_url" {
  description = "Address that the service sends its events to, with https. Without it, there is no webhook endpoint."
  type        = string
  default     = null

  validation {
    condition     = var.webhook_url == null || can(regex("^https://[^/[:space:]]+", var.webhook_url))
    error_message = "The webhook URL must begin with https://."
  }
}

variable "create_table" {
  description = "Whether to create the table guestbook_entries. Turn it off if something else looks after the database."
  type        = bool
  default     = true
  nullable    = false
}

variable "deletion_protection" {
  description = "Whether the instance and the app are protected from being destroyed or replaced. Set it to false and apply before you destroy."
  type        = bool
  default     = true
  nullable    = false
}
